// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

/** Something that happened, for people. */
public record DemoEvent(long at, Kind kind, Level level, String text) {

    /** What it is about. */
    public enum Kind {
        NODE,
        SERVER,
        LOCK,
        LOAD,
        JOB
    }

    /** How bad it is. */
    public enum Level {
        INFO,
        WARN,
        BAD
    }
}
