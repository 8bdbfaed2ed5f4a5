// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.Architectures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** The packages are rooms with one-way doors. */
class RoomsTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.holdfast");

    private static final String API = "org.holdfast";

    private static final int MOST_TYPES = 17;
    private static final int LARGEST_CIRCLE = 4;

    private static ArchRule doors() {
        Architectures.LayeredArchitecture doors = layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("org.holdfast..")
                .layer(API)
                .definedBy(API)
                .whereLayer(API)
                .mayNotAccessAnyLayer();
        for (String room : RoomDoors.KNOWS.keySet()) {
            doors = doors.layer(room).definedBy(API + "." + room);
        }
        for (Map.Entry<String, Set<String>> door : RoomDoors.KNOWS.entrySet()) {
            List<String> known = new ArrayList<>(door.getValue());
            known.add(API);
            doors = doors.whereLayer(door.getKey()).mayOnlyAccessLayers(known.toArray(String[]::new));
        }
        return doors.as("a room knows only those below it that RoomsTest names")
                .because(
                        "rooms that know each other cannot be understood one by one. Move the class down, hand in what it"
                                + " needs, or let the lower room own a small interface that the upper room implements");
    }

    @Test
    void doors_openOneWayOnly() {
        doors().check(CLASSES);
    }

    @Test
    void doors_aClassThatKnowsARoomAbove_isRefused() {
        ImportOption products = new ImportOption.DoNotIncludeTests();
        JavaClasses withIt = new ClassFileImporter()
                .withImportOption(location -> products.includes(location) || location.contains("KnowsTheRoomAbove"))
                .importPackages(API);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> doors().check(withIt))
                .withMessageContaining("lease.KnowsTheRoomAbove")
                .withMessageContaining("queue.WaitQueues")
                .withMessageContaining("let the lower room own a small interface");
    }

    @Test
    void rooms_allHaveTheirDoorsNamed() {
        Set<String> rooms =
                RoomDoors.KNOWS.keySet().stream().map(room -> API + "." + room).collect(toSet());
        rooms.add(API);
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).collect(toSet()))
                .as("name in RoomsTest which rooms a new room knows")
                .isEqualTo(rooms);
    }

    @Test
    void rooms_areSmall() {
        Map<String, Long> types = CLASSES.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .filter(type -> !type.getPackageName().equals(API)) // users look for a type there, by its name
                .collect(groupingBy(JavaClass::getPackageName, counting()));
        assertThat(types).allSatisfy((room, count) -> assertThat(count)
                .as("types in %s: what do some of them share that the others do not? Give these a room", room)
                .isLessThanOrEqualTo(MOST_TYPES));
    }

    private static String topLevel(JavaClass type) {
        return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
    }

    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> dependencies = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            Set<String> known = dependencies.computeIfAbsent(topLevel(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> topLevel(dependency.getTargetClass()))
                    .filter(name -> name.startsWith(API))
                    .forEach(known::add);
        }
        return dependencies;
    }

    private static String room(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }

    private static boolean isBearable(Set<String> circle) {
        return circle.size() <= LARGEST_CIRCLE
                && circle.stream().map(RoomsTest::room).distinct().count() == 1;
    }

    @Test
    void circles_ofClasses_areSmallAndInsideOneRoom() {
        assertThat(Circles.of(dependencies()))
                .as(
                        "circles of more than %d classes, or of several rooms: let one of the classes not know the next, by"
                                + " an interface of its own or a function that is handed in",
                        LARGEST_CIRCLE)
                .allMatch(RoomsTest::isBearable);
    }

    @Test
    void circles_thatAreTooLargeOrLeadOutOfTheRoom_areFound() {
        Map<String, Set<String>> knows = new TreeMap<>(Map.of(
                "a.One", Set.of("a.Two"),
                "a.Two", Set.of("a.One"),
                "b.One", Set.of("c.One", "a.One"),
                "c.One", Set.of("b.One"),
                "d.One", Set.of("a.One")));
        assertThat(Circles.of(knows)).containsExactly(Set.of("a.One", "a.Two"), Set.of("b.One", "c.One"));
        assertThat(Circles.of(knows)).filteredOn(circle -> !isBearable(circle)).hasSize(1);
        assertThat(isBearable(Set.of("a.One", "a.Two", "a.Three", "a.Four", "a.Five")))
                .isFalse();
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
                .resideOutsideOfPackages("org.holdfast.testkit", "org.holdfast.history", "org.holdfast.memory")
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
                .resideOutsideOfPackages("org.holdfast.testkit", "org.holdfast.history", "org.holdfast.memory")
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
                .resideOutsideOfPackages("org.holdfast.testkit", "org.holdfast.history", "org.holdfast.memory")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Executors.class, ThreadPoolExecutor.class, ForkJoinPool.class)
                .orShould(ArchConditions.callConstructorWhere(JavaCall.Predicates.target(
                        HasOwner.Predicates.With.owner(JavaClass.Predicates.assignableTo(Thread.class)))))
                .check(CLASSES);
    }
}
