// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.holdfast.CheckReport;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import org.holdfast.QuorumUnavailableException;

/**
 * What was seen at one moment: what is known of each node and of each lock.
 *
 * @param facts by what they are about, such as {@code node redis://a:6379}
 */
record Sight(SortedMap<String, String> facts) {

    /** Nothing was seen yet. */
    static final Sight NONE = new Sight(new TreeMap<>());

    private static final String FREE = "free";

    private static final String LOCKS = "locks";

    /**
     * Looks at all nodes, and at the locks on them. What was known of a lock that cannot be seen now stays as it was:
     * it may be held.
     */
    static Sight of(LockOperations operations, int limit, Sight before) {
        SortedMap<String, String> facts = new TreeMap<>();
        for (CheckReport.Node node : operations.check().nodes()) {
            facts.put("node " + node.address(), describe(node));
        }
        try {
            LockListing listing = operations.locks(limit);
            listing.locks().forEach(lock -> facts.put(subject(lock), describe(lock)));
            if (!listing.complete()) {
                facts.put(LOCKS, "are more than can be shown: what was seen earlier of the others may be out of date");
                keepLocks(before, facts);
            }
        } catch (QuorumUnavailableException e) {
            facts.put(LOCKS, "cannot be seen: too few nodes can be used");
            keepLocks(before, facts);
        }
        return new Sight(facts);
    }

    private static void keepLocks(Sight before, SortedMap<String, String> facts) {
        before.facts().entrySet().stream()
                .filter(fact -> fact.getKey().matches("(?s)(lock|semaphore) .*"))
                .limit(LockOperations.MAX_LISTED)
                .forEach(fact -> facts.putIfAbsent(fact.getKey(), fact.getValue()));
    }

    private static String subject(LockState lock) {
        return (lock.request().permits() == 0 ? "lock " : "semaphore ") + Table.quoted(lock.name());
    }

    /** How long a quarantine lasts changes all the time, and so does the cause that has it: that is no change. */
    private static String describe(CheckReport.Node node) {
        return switch (node.state()) {
            case VOTES -> "votes";
            case QUARANTINED -> "is in quarantine";
            case UNUSABLE -> "cannot be used: " + node.cause().replaceAll("\\d+ ms", "some ms");
        };
    }

    private static String describe(LockState lock) {
        String holders = lock.holders().stream().map(Sight::describe).collect(Collectors.joining(", and "));
        return (holders.isEmpty() ? FREE : "held by " + holders) + "; " + lock.inLine() + " in line, "
                + lock.listening() + " listening";
    }

    private static String describe(LockHolder holder) {
        return Table.quoted(holder.thread()) + " of process " + holder.pid() + " on " + Table.cell(holder.host())
                + " with token " + holder.token();
    }

    /** Else a lock that is missing here may be held: not everything that was known is kept. */
    private boolean seesAllLocks() {
        return !facts.containsKey(LOCKS);
    }

    /** Returns a line for each change, by what it is about. */
    List<String> changesSince(Sight before) {
        List<String> changes = new ArrayList<>();
        TreeSet<String> subjects = new TreeSet<>(facts.keySet());
        subjects.addAll(before.facts().keySet());
        for (String subject : subjects) {
            String was = before.facts().get(subject);
            String is = facts.get(subject);
            if (is == null) {
                if (subject.equals(LOCKS) || seesAllLocks()) {
                    changes.add(ShownLines.shown(subject + (subject.equals(LOCKS) ? " can all be seen" : " " + FREE)));
                }
            } else if (!is.equals(was)) {
                changes.add(ShownLines.shown(subject + " " + is));
            }
        }
        return changes;
    }
}
