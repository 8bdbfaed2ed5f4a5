// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import org.holdfast.protocol.env.Recorder;

/** Finds out once whether this JVM has a flight recorder: some are built without, and class loaders may hide it. */
final class Recorders {

    private static final System.Logger LOG = System.getLogger(Recorders.class.getName());

    /**
     * Looked for first: WildFly reports a class that extends what it does not find with a warning and a stack trace.
     */
    private static final String EVENT = "jdk.jfr.Event";

    static final Recorder FOUND = find();

    private Recorders() {}

    private static Recorder find() {
        try {
            Class.forName(EVENT, false, Recorders.class.getClassLoader());
            return new FlightEvents();
        } catch (ClassNotFoundException | LinkageError e) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0106: there are no JFR events of locks, jdk.jfr is not visible here: " + e);
            return Recorder.NONE;
        }
    }
}
