// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.List;

/** What a lease covers on the nodes, and in which way. */
public sealed interface Target {

    /** Returns the names that it covers, one or more. */
    List<String> names();

    /** Returns the first of the names: it stands for the target where one name must suffice. */
    default String name() {
        return names().get(0);
    }

    /** Has one or several names, all or none; no other owner has any of them. */
    record Exclusive(List<String> names) implements Target {

        public Exclusive {
            names = List.copyOf(names);
        }

        /** Has one name alone. */
        public Exclusive(String name) {
            this(List.of(name));
        }
    }

    /** Reads, perhaps with other readers; no owner has the name alone. */
    record Shared(String reads) implements Target {
        @Override
        public List<String> names() {
            return List.of(reads);
        }
    }

    /**
     * Has one of several permits; no other owner has that one.
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
