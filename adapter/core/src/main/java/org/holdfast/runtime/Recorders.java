// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import org.holdfast.protocol.env.Recorder;

/** Finds out once whether this JVM has a flight recorder: some are built without, and class loaders may hide it. */
final class Recorders {

    private static final System.Logger LOG = System.getLogger(Recorders.class.getName());

    static final Recorder FOUND = find();

    private Recorders() {}

    private static Recorder find() {
        try {
            return new FlightEvents();
        } catch (LinkageError e) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0106: there are no JFR events of locks, jdk.jfr is not visible here: " + e);
            return Recorder.NONE;
        }
    }
}
