// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import org.holdfast.history.Kind;

/**
 * What a client reports about a lock before it relies on it: a line on its standard output. Moments are those of the
 * system's monotonic clock, which all processes of a machine share.
 */
public sealed interface Report {

    /** @return a number for a thread of a client, another one for each in a deployment */
    int caller();

    /** A caller got a lock. */
    record Granted(int caller, String lock, Kind kind, int permits, long token, long asked, long granted, long until)
            implements Report {}

    /** A lease was found to be valid for longer. */
    record Extended(int caller, long until) implements Report {}

    /** A caller begins to release, or has found that its lease is lost. */
    record Ended(int caller, long at) implements Report {}

    /** A caller was told of a loss. */
    record Lost(int caller, long validUntil, long told) implements Report {}

    /** A caller is through with a lock. */
    record Closed(int caller, long at) implements Report {}

    /** The answer to a question about the process; the caller is the client. */
    record Status(int caller, int question, long heapBytes) implements Report {}

    /** Returns the line of a report. */
    static String write(Report report) {
        if (report instanceof Granted it) {
            return "granted " + it.caller + " " + it.lock + " " + it.kind + " " + it.permits + " " + it.token + " "
                    + it.asked + " " + it.granted + " " + it.until;
        } else if (report instanceof Extended it) {
            return "extended " + it.caller + " " + it.until;
        } else if (report instanceof Ended it) {
            return "ended " + it.caller + " " + it.at;
        } else if (report instanceof Lost it) {
            return "lost " + it.caller + " " + it.validUntil + " " + it.told;
        } else if (report instanceof Closed it) {
            return "closed " + it.caller + " " + it.at;
        }
        Status it = (Status) report;
        return "status " + it.caller + " " + it.question + " " + it.heapBytes;
    }

    /** Returns the report of a line. */
    static Report read(String line) {
        String[] part = line.split(" ");
        int caller = Integer.parseInt(part[1]);
        return switch (part[0]) {
            case "granted" ->
                new Granted(
                        caller,
                        part[2].intern(), // of many holds
                        Kind.valueOf(part[3]),
                        Integer.parseInt(part[4]),
                        Long.parseLong(part[5]),
                        Long.parseLong(part[6]),
                        Long.parseLong(part[7]),
                        Long.parseLong(part[8]));
            case "extended" -> new Extended(caller, Long.parseLong(part[2]));
            case "ended" -> new Ended(caller, Long.parseLong(part[2]));
            case "lost" -> new Lost(caller, Long.parseLong(part[2]), Long.parseLong(part[3]));
            case "closed" -> new Closed(caller, Long.parseLong(part[2]));
            case "status" -> new Status(caller, Integer.parseInt(part[2]), Long.parseLong(part[3]));
            default -> throw new IllegalArgumentException("no report: " + line);
        };
    }
}
