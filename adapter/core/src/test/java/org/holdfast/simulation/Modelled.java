// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Worlds in which only that happens which a model of the protocol has. */
public enum Modelled {
    /** Of {@code Holdfast.tla}: all want one lock alone, and nodes may forget it. */
    HOLDERS(
            "RESTART_EMPTY,RESTART_WHOLE,FLUSH,NODE_PAUSE,CLIENT_PAUSE,CUT_OFF,WALL_STEP,SLOW_SENDING,ERRORS",
            List.of(Shape.PLAIN)),

    /** Of {@code Readers.tla}: some want one lock alone, the others read, and nodes forget nothing. */
    READERS("NODE_PAUSE,CLIENT_PAUSE,CUT_OFF,WALL_STEP,SLOW_SENDING,ERRORS", List.of(Shape.READING, Shape.WRITING)),

    /** Of {@code Voter.tla}: all want one lock alone, on one node that fails over. */
    VOTER("FAILOVER_IN_FULL,NODE_PAUSE,CLIENT_PAUSE,CUT_OFF,SLOW_SENDING", List.of(Shape.PLAIN));

    /** Names of what goes wrong, see {@link Fault#drawKinds}. */
    private final String faults;

    final List<Shape> shapes;

    private static final long MILLI = 1_000_000L;
    private static final Duration LONG_TTL = Duration.ofMillis(1_800);

    Modelled(String faults, List<Shape> shapes) {
        this.faults = faults;
        this.shapes = shapes;
    }

    /** Returns whether there is one node, which fails over. */
    boolean isMoving() {
        return this == VOTER;
    }

    /** Returns how long things go wrong: until leases come from the next process, if there is one. */
    long troubleNanos() {
        return (isMoving() ? 8_000 : 1_000) * MILLI;
    }

    /** Returns how long all leases last: the next process may extend one of the former. */
    Duration ttl() {
        return isMoving() ? LONG_TTL : Habits.SHORT_TTL;
    }

    /** Returns how long a holder works at the most, mostly, before it looks at its lease. */
    long paceNanos() {
        return (isMoving() ? 2_000 : 150) * MILLI;
    }

    Duration maxTtl() {
        return isMoving() ? LONG_TTL : Duration.ofMillis(700);
    }

    /** Draws how often something does. */
    int drawFaults(Random random) {
        int some = random.nextInt(8);
        return isMoving() ? 1 + some / 2 : 2 + some;
    }

    /** Draws how many nodes there are. */
    int drawNodes(Random random) {
        int some = List.of(1, 3, 3, 5).get(random.nextInt(4));
        return isMoving() ? 1 : some;
    }

    /** Draws the kinds of what does. */
    List<Fault> drawKinds(Random random) {
        List<Fault> kinds = new ArrayList<>(Fault.drawKinds(random, faults));
        if (isMoving()) {
            kinds.add(Fault.FAILOVER_IN_FULL);
        }
        return kinds;
    }

    /** Returns whether there are readers, beside writers. */
    boolean hasReaders() {
        return shapes.contains(Shape.READING);
    }
}
