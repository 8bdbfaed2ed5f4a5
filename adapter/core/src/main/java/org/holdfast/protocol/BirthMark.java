// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node keeps to know whether its memory is whole: a key without TTL that goes when memory goes.
 *
 * @param sinceMicros since when nothing was forgotten, by the node's clock
 * @param runId the process that keeps it
 * @param replicationId the data set it belongs to
 * @param evictions how many keys the process had evicted by then: keys that are evicted leave the mark behind
 */
public record BirthMark(long sinceMicros, String runId, String replicationId, long evictions) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,18}) (\\S+) (\\S+) (\\d{1,18})");

    /** Returns the mark, or nothing if the text is none of ours. */
    public static Optional<BirthMark> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new BirthMark(
                        Long.parseLong(matcher.group(1)),
                        matcher.group(2),
                        matcher.group(3),
                        Long.parseLong(matcher.group(4))))
                : Optional.empty();
    }

    /** Returns the text to store; scripts read the number it begins with. */
    public String text() {
        return sinceMicros + rest();
    }

    /** Returns what follows that number. */
    public String rest() {
        return " " + runId + " " + replicationId + " " + evictions;
    }
}
