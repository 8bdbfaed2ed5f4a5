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

    /** Looks at all nodes, and at the locks on them. */
    static Sight of(LockOperations operations, int limit) {
        SortedMap<String, String> facts = new TreeMap<>();
        for (CheckReport.Node node : operations.check().nodes()) {
            facts.put("node " + node.address(), describe(node));
        }
        try {
            operations.locks(limit).locks().forEach(lock -> facts.put("lock '" + lock.name() + "'", describe(lock)));
        } catch (QuorumUnavailableException e) {
            facts.put("locks", "cannot be seen: too few nodes can be used");
        }
        return new Sight(facts);
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
        return "'" + holder.thread() + "' of process " + holder.pid() + " on " + holder.host() + " with token "
                + holder.token();
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
                changes.add(Table.shown(subject + (subject.equals("locks") ? " can be seen" : " " + FREE)));
            } else if (!is.equals(was)) {
                changes.add(Table.shown(subject + " " + is));
            }
        }
        return changes;
    }
}
