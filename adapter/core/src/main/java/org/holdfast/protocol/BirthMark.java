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
 */
public record BirthMark(long sinceMicros, String runId, String replicationId) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,18}) (\\S+) (\\S+)");

    /** Returns the mark, or nothing if the text is none of ours. */
    public static Optional<BirthMark> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new BirthMark(Long.parseLong(matcher.group(1)), matcher.group(2), matcher.group(3)))
                : Optional.empty();
    }

    /** Returns the text to store; scripts read the number it begins with. */
    public String text() {
        return sinceMicros + " " + runId + " " + replicationId;
    }
}
