// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a node keeps to show whether its memory is whole: a key without TTL that goes when memory goes.
 *
 * <p>All moments are those of the node's clock, in microseconds.
 *
 * <p>Processes that write different forms would replace each other's marks, and each would begin a quarantine. So a
 * release that needs another form must read both, and write the former one until all processes read the new one.
 *
 * @param sinceMicros since when nothing was forgotten
 * @param behindUntilMicros a later moment that the clock is known to have shown before that; 0 if it is not. When the
 *     clock shows it again, the clock may have been behind only for a moment: then {@code sinceMicros} is too early
 * @param looks when processes looked, the last look first, eight at the most. They grow, also if the clock is set back:
 *     one that a process remembers and that is missing here shows old memory that was put back
 * @param steadyMicros since when processes have watched the clock without a gap and without a jump
 * @param process which Redis process keeps it
 * @param outdatedMicros when a process looked last that does not know the settings towards which a change is rolled
 *     out; 0 if none did
 * @param begunMicros when the quarantine first began whose begin was moved to {@code sinceMicros}; 0 if it was not
 *     moved
 * @param watchedMicros until when processes have watched the clock: what the last look saw, before it was noted at
 *     {@link #seenMicros}. In between the clock may have gone ahead
 * @param acceptedSettings the settings that processes must share
 */
public record BirthMark(
        long sinceMicros,
        long behindUntilMicros,
        List<Long> looks,
        long steadyMicros,
        Process process,
        long outdatedMicros,
        long begunMicros,
        long watchedMicros,
        AcceptedSettings acceptedSettings) {

    /** Moments have 16 digits at the most: scripts calculate with numbers that are exact up to there. */
    private static final Pattern FORM = Pattern.compile(
            "(\\d{1,16})(?::(\\d{1,16}))? (\\d{1,16}(?:,\\d{1,16}){0,7}) (\\d{1,16}) (\\S{1,64}) (\\d{1,18})"
                    + " (\\S{1,64}) (\\S{1,40}) (\\d{1,16}) (\\d{1,16}) (\\d{1,16}) (\\S{1,128})");

    /**
     * A Redis process, and what has become of its memory by then.
     *
     * @param runId drawn by Redis when the process starts
     * @param evictions how many keys the process has evicted: keys that are evicted leave the mark behind
     * @param promotion the data set that the process had as a replica before it was promoted last; "-" if it never was
     * @param loaded what the process reports of the file that it has loaded last, which replaced its memory; "-" if it
     *     reports nothing
     */
    public record Process(String runId, long evictions, String promotion, String loaded) {

        /** The process was never promoted. */
        public static final String NEVER_PROMOTED = "-";

        /** The process does not report what it has loaded. */
        public static final String LOADED_UNKNOWN = "-";

        /**
         * Returns whether the same process was promoted since a mark was set, or was named anew by its witnesses. Redis
         * forgets which data set it had as a replica a while after its own last replica has gone: that alone is none.
         */
        boolean isPromotedSince(Process marked) {
            boolean forgets = promotion.startsWith(NEVER_PROMOTED)
                    && marked.promotion().endsWith(promotion.substring(NEVER_PROMOTED.length()));
            return !forgets && !promotion.equals(marked.promotion());
        }
    }

    public BirthMark {
        looks = List.copyOf(looks);
        if (looks.isEmpty()) {
            throw new IllegalArgumentException("a mark is written by a process that looks");
        }
    }

    /** Returns the mark, or nothing if the text is none of ours. */
    public static Optional<BirthMark> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        List<Long> looks = looks(matcher.group(3));
        long watched = Math.min(Long.parseLong(matcher.group(11)), looks.get(0)); // later than the clock shows
        return AcceptedSettings.parse(matcher.group(12))
                .map(acceptedSettings -> new BirthMark(
                        Long.parseLong(matcher.group(1)),
                        matcher.group(2) == null ? 0 : Long.parseLong(matcher.group(2)),
                        looks,
                        Long.parseLong(matcher.group(4)),
                        new Process(
                                matcher.group(5), Long.parseLong(matcher.group(6)), matcher.group(7), matcher.group(8)),
                        Long.parseLong(matcher.group(9)),
                        Long.parseLong(matcher.group(10)),
                        watched,
                        acceptedSettings));
    }

    /** Returns the text to store; scripts read the numbers that it begins with. */
    public String text() {
        String since = behindUntilMicros == 0 ? "" + sinceMicros : sinceMicros + ":" + behindUntilMicros;
        return since + " " + looks.stream().map(String::valueOf).collect(Collectors.joining(",")) + " " + steadyMicros
                + " " + rest();
    }

    private static List<Long> looks(String text) {
        return Arrays.stream(text.split(",")).map(Long::parseLong).toList();
    }

    /** Returns when the present quarantine first began, or the last one. */
    long firstBegunMicros() {
        return begunMicros == 0 ? sinceMicros : Math.min(begunMicros, sinceMicros);
    }

    /** Returns when a process looked last. */
    public long seenMicros() {
        return looks.get(0);
    }

    /**
     * Returns whether a look that a process remembers belongs to what is written here: it is one of the last, or it
     * came before all of these.
     */
    boolean goesBackTo(long lookMicros) {
        return looks.contains(lookMicros) || lookMicros < looks.get(looks.size() - 1);
    }

    /** Returns what follows the moments. */
    public String rest() {
        return process.runId() + " " + process.evictions() + " " + process.promotion() + " " + process.loaded() + " "
                + outdatedMicros + " " + begunMicros + " " + watchedMicros + " " + acceptedSettings.text();
    }
}
