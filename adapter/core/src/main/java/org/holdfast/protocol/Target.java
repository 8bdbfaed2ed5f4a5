// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.List;

/** What a lease covers on the nodes, and in which way. */
public sealed interface Target {

    /** Returns the names that it covers, one or more. */
    List<String> names();

    /** Returns the first of the names: by it the target is known where one must do. */
    default String name() {
        return names().get(0);
    }

    /** Has one or several names, all or none, and nobody else has any of them. */
    record Alone(List<String> names) implements Target {

        public Alone {
            names = List.copyOf(names);
        }

        /** Has one name alone. */
        public Alone(String name) {
            this(List.of(name));
        }
    }

    /** Reads, perhaps with others; nobody has the name alone. */
    record Reading(String reads) implements Target {
        @Override
        public List<String> names() {
            return List.of(reads);
        }
    }

    /**
     * Has one of several permits, and nobody else has that one.
     *
     * @param number which, counted from 0
     */
    record Permit(String semaphore, int number) implements Target {
        @Override
        public List<String> names() {
            return List.of(semaphore);
        }
    }
}
