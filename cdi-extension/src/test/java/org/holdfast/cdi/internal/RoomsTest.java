// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages are rooms with one-way doors. */
class RoomsTest {

    private static final String INTERNAL = "org.holdfast.cdi.internal";

    /** Each room may know those after it. */
    private static final List<String> ROOMS = List.of("invocation", "deployment", "factory", "operation", "name");

    private static final int MOST_TYPES = 17;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(INTERNAL);

    @Test
    void doors_openOneWayOnly() {
        Architectures.LayeredArchitecture doors = Architectures.layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(INTERNAL + "..")
                .layer(INTERNAL)
                .definedBy(INTERNAL);
        for (String room : ROOMS) {
            doors = doors.layer(room).definedBy(INTERNAL + "." + room);
        }
        for (int i = 0; i < ROOMS.size(); i++) {
            String[] known = ROOMS.subList(i + 1, ROOMS.size()).toArray(String[]::new);
            doors = known.length == 0
                    ? doors.whereLayer(ROOMS.get(i)).mayNotAccessAnyLayer()
                    : doors.whereLayer(ROOMS.get(i)).mayOnlyAccessLayers(known);
        }
        doors.because(
                        "a room that knows those before it cannot be understood without them: hand in what it needs, or let"
                                + " it own a small interface that the room before it implements")
                .check(CLASSES);
    }

    @Test
    void rooms_areFreeOfCircles() {
        slices().matching(INTERNAL + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void rooms_areNamedHere() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of(INTERNAL), ROOMS.stream().map(room -> INTERNAL + "." + room))
                                .toList());
    }

    @Test
    void rooms_areSmall() {
        Map<String, Long> sizes =
                CLASSES.that(DescribedPredicate.describe("top level", JavaClass::isTopLevelClass)).stream()
                        .filter(type -> !type.getSimpleName().equals("package-info"))
                        .collect(groupingBy(JavaClass::getPackageName, counting()));
        assertThat(sizes.values()).as("types by room: %s", sizes).allMatch(size -> size <= MOST_TYPES);
    }
}
