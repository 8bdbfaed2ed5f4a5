// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

/** The packages are rooms with one-way doors. */
class RoomsTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.holdfast");

    @Test
    void doors_openOneWayOnly() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("org.holdfast..")
                .layer("api")
                .definedBy("org.holdfast")
                .layer("protocol")
                .definedBy("org.holdfast.protocol")
                .layer("redis")
                .definedBy("org.holdfast.redis")
                .layer("runtime")
                .definedBy("org.holdfast.runtime")
                .layer("connector")
                .definedBy("org.holdfast.connector")
                .layer("testkit")
                .definedBy("org.holdfast.testkit")
                .whereLayer("connector")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("runtime")
                .mayOnlyBeAccessedByLayers("connector")
                .whereLayer("redis")
                .mayOnlyBeAccessedByLayers("runtime", "connector")
                .whereLayer("protocol")
                .mayOnlyBeAccessedByLayers("redis", "runtime", "connector")
                .whereLayer("testkit")
                .mayNotBeAccessedByAnyLayer()
                .check(CLASSES);
    }

    @Test
    void protocol_knowsNoClientNoContainerAndNoClock() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage("org.holdfast.protocol")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("redis.clients..", "jakarta..", "java.net..", "java.nio..")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(java.time.Clock.class, java.util.concurrent.ThreadLocalRandom.class)
                .check(CLASSES);
    }

    @Test
    void jedis_isKnownToItsRoomOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage("org.holdfast.redis")
                .and()
                .resideOutsideOfPackage("org.holdfast.testkit")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("redis.clients..")
                .check(CLASSES);
    }

    @Test
    void jakarta_isKnownToTheConnectorOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage("org.holdfast.connector")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jakarta..")
                .check(CLASSES);
    }

    @Test
    void code_writesToLoggersAndReadsNoWallClockForTime() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage("org.holdfast.testkit")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }
}
