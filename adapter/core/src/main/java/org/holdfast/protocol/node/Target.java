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

    /** Returns whether other owners may have the same name as well, in the same way. */
    default boolean isShared() {
        return false;
    }

    /** Returns whether no other owner can have any of the names, in whichever way. */
    default boolean isAlone() {
        return false;
    }

    /** Returns whether it is independent of every lock that has its name, and of the other permits. */
    default boolean isPermit() {
        return false;
    }

    /** Returns whether a forced release of a semaphore with so many permits, or of a lock if 0, means it. */
    default boolean isAmong(int permits) {
        return permits == 0;
    }

    /** Returns the target of an owner that has had this one alone, and only reads from now on. */
    default Target reading() {
        return new Shared(name());
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

        @Override
        public boolean isAlone() {
            return true;
        }
    }

    /** Reads, perhaps with other readers; no owner has the name alone. */
    record Shared(String reads) implements Target {
        @Override
        public List<String> names() {
            return List.of(reads);
        }

        @Override
        public boolean isShared() {
            return true;
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

        @Override
        public boolean isPermit() {
            return true;
        }

        @Override
        public boolean isAmong(int permits) {
            return number < permits;
        }
    }
}
