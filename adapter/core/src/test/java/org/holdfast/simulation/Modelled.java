// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;

/** Worlds in which only that happens which a model of the protocol has. */
public enum Modelled {
    /** Of {@code Holdfast.tla}: all want one lock alone, and nodes may forget it. */
    HOLDERS(
            "RESTART_EMPTY,RESTART_WHOLE,FLUSH,NODE_PAUSE,CLIENT_PAUSE,CUT_OFF,WALL_STEP,SLOW_SENDING,ERRORS",
            List.of(Shape.PLAIN)),

    /** Of {@code Readers.tla}: some want one lock alone, the others read, and nodes forget nothing. */
    READERS("NODE_PAUSE,CLIENT_PAUSE,CUT_OFF,WALL_STEP,SLOW_SENDING,ERRORS", List.of(Shape.READING, Shape.WRITING));

    /** Names of what goes wrong, see {@link Fault#drawKinds}. */
    final String faults;

    final List<Shape> shapes;

    Modelled(String faults, List<Shape> shapes) {
        this.faults = faults;
        this.shapes = shapes;
    }

    /** Returns whether there are readers, beside writers. */
    boolean hasReaders() {
        return shapes.contains(Shape.READING);
    }
}
