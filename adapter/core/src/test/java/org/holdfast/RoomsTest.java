// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
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
                .layer("env")
                .definedBy("org.holdfast.protocol.env")
                .layer("node")
                .definedBy("org.holdfast.protocol.node")
                .layer("guard")
                .definedBy("org.holdfast.protocol.guard")
                .layer("quorum")
                .definedBy("org.holdfast.protocol.quorum")
                .layer("protocol")
                .definedBy("org.holdfast.protocol")
                .layer("wire")
                .definedBy("org.holdfast.redis.wire")
                .layer("script")
                .definedBy("org.holdfast.redis.script")
                .layer("redis")
                .definedBy("org.holdfast.redis")
                .layer("transaction")
                .definedBy("org.holdfast.transaction")
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
                .whereLayer("wire")
                .mayOnlyBeAccessedByLayers("redis", "runtime")
                .whereLayer("script")
                .mayOnlyBeAccessedByLayers("redis")
                .whereLayer("transaction")
                .mayOnlyBeAccessedByLayers("runtime", "connector")
                .whereLayer("protocol")
                .mayOnlyBeAccessedByLayers("redis", "transaction", "runtime", "connector")
                .whereLayer("quorum")
                .mayOnlyBeAccessedByLayers("protocol", "runtime")
                .whereLayer("guard")
                .mayOnlyBeAccessedByLayers("protocol", "redis", "runtime", "connector")
                .whereLayer("node")
                .mayOnlyBeAccessedByLayers("guard", "quorum", "protocol", "script", "redis", "runtime", "connector")
                .whereLayer("env")
                .mayOnlyBeAccessedByLayers(
                        "node", "guard", "quorum", "protocol", "wire", "redis", "runtime", "connector")
                .whereLayer("testkit")
                .mayNotBeAccessedByAnyLayer()
                .check(CLASSES);
    }

    @Test
    void protocol_knowsNoClientNoContainerAndNoClock() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage("org.holdfast.protocol..")
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
                .resideOutsideOfPackage("org.holdfast.redis..")
                .and()
                .resideOutsideOfPackage("org.holdfast.testkit")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("redis.clients..")
                .check(CLASSES);
    }

    @Test
    void jakarta_isKnownToTheConnectorAndTransactionsOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackages("org.holdfast.connector", "org.holdfast.transaction")
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

    /** What the JDK has below javax stays: naming, management, TLS and {@code javax.transaction.xa}. */
    @Test
    void javaEe_isKnownToNobody() {
        ArchRuleDefinition.noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "javax.annotation..",
                        "javax.ejb..",
                        "javax.enterprise..",
                        "javax.inject..",
                        "javax.interceptor..",
                        "javax.resource..",
                        "javax.servlet..",
                        "javax.transaction")
                .check(CLASSES);
    }

    /** In a container all threads are the container's; elsewhere they are daemons, as HoldfastTest sees. */
    @Test
    void threads_areMadeInOnePlaceOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .doNotHaveSimpleName("StandaloneScheduling")
                .and()
                .resideOutsideOfPackage("org.holdfast.testkit")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Executors.class, ThreadPoolExecutor.class, ForkJoinPool.class)
                .orShould(ArchConditions.callConstructorWhere(JavaCall.Predicates.target(
                        HasOwner.Predicates.With.owner(JavaClass.Predicates.assignableTo(Thread.class)))))
                .check(CLASSES);
    }
}
