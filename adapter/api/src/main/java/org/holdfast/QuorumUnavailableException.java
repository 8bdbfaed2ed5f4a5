// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Too few nodes answered for a majority, whether or not the lock is held. */
public final class QuorumUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    /** What the cause of a node in quarantine begins with. */
    private static final String QUARANTINE = "in quarantine";

    private static final String ADVICE =
            ". A quarantine ends by itself: try again then. Each start of a node begins one,"
                    + " so on a developer's machine set guard=DEVELOPMENT (docs/getting-started.md)";

    private final TreeMap<String, String> failures;

    private final boolean perhapsReleased;

    /**
     * Reports that too few nodes could vote.
     *
     * @param name the lock's name
     * @param nodes how many nodes there are
     * @param waited for how long a quorum was tried for
     * @param failures what happened, per node that did not take part
     */
    public QuorumUnavailableException(String name, int nodes, Duration waited, Map<String, String> failures) {
        this(nodes, waited, lock(name), failures, false);
    }

    private QuorumUnavailableException(
            int nodes, Duration waited, String what, Map<String, String> failures, boolean perhapsReleased) {
        super(message(what, nodes, waited, new TreeMap<>(failures)));
        this.failures = new TreeMap<>(failures);
        this.perhapsReleased = perhapsReleased;
    }

    private static String lock(String name) {
        return "lock '" + name + "'";
    }

    /**
     * {@return the same for what is no lock: a latch, or a list of locks}
     *
     * @param what what was asked for, for people
     * @param nodes how many nodes there are
     * @param waited for how long a quorum was tried for
     * @param failures what happened, per node that did not take part
     */
    public static QuorumUnavailableException of(String what, int nodes, Duration waited, Map<String, String> failures) {
        return new QuorumUnavailableException(nodes, waited, what, failures, false);
    }

    /**
     * {@return the same for a forced release that was sent, see {@link #isPerhapsReleased()}}
     *
     * @param name the lock's name
     * @param nodes how many nodes there are
     * @param waited for how long a quorum was tried for
     * @param failures what happened, per node that did not take part
     */
    public static QuorumUnavailableException ofRelease(
            String name, int nodes, Duration waited, Map<String, String> failures) {
        return new QuorumUnavailableException(nodes, waited, lock(name), failures, true);
    }

    /**
     * {@return whether a forced release was sent to nodes, so that some or all of them may have carried it out} False
     * if it was not sent since too few nodes answered the look before it, and for everything else.
     */
    public boolean isPerhapsReleased() {
        return perhapsReleased;
    }

    /** {@return what happened, per node that did not take part: address without secrets to cause} */
    public Map<String, String> failures() {
        return Map.copyOf(failures);
    }

    private static String message(String what, int nodes, Duration waited, SortedMap<String, String> failures) {
        return "HF0202: " + what + ": it needs the votes of " + (nodes / 2 + 1) + " of " + nodes + " nodes, "
                + (nodes - failures.size()) + " could vote in " + waited.toMillis() + " ms; "
                + failures.entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .collect(Collectors.joining("; "))
                + (failures.values().stream().anyMatch(cause -> cause.startsWith(QUARANTINE)) ? ADVICE : "");
    }
}
