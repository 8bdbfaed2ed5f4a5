// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Something that goes wrong for some time. */
interface Fault {

    /** Every fault of the kit. */
    static List<Fault> all() {
        return Stream.of(NodeFault.values(), NetworkFault.values(), ProcessFault.values())
                .flatMap(Stream::<Fault>of)
                .toList();
    }

    /** {@return what it is called} */
    String name();

    /** {@return how long it lasts} */
    Duration length();

    /**
     * Begins.
     *
     * @param random decides what it happens to
     * @return what goes on until it is over
     */
    Course begin(Deployment deployment, Random random) throws InterruptedException;

    /** A fault that has begun. */
    interface Course {

        /** Does once more what such a fault does again and again. */
        default void again() {}

        /** Ends what {@link Deployment#heal()} does not. */
        default void end() throws InterruptedException {}
    }
}
