// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Which primaries of a cluster a client has heard without a gap, those without slots too.
 *
 * <p>A primary says which slots it moves away, and another one says that they come to it. A primary that crashes leaves
 * a replica that knows nothing of that, up to Redis 8. So what it was moving is known if each other primary was heard
 * from its last answer on, until after it was replaced: whatever they have said is remembered as doubts of its slots. A
 * move that begins and is given up within one gap that is too short to count is excluded in writing. A primary that has
 * failed counts like any other: it may be back, get slots and fail again between two looks.
 *
 * <p>Not safe for use by several threads.
 */
final class PrimaryWatch {

    /** What is older is forgotten. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(15);

    private final long askedNanos;
    private final Map<String, Contact> contacts = new HashMap<>();
    private long now;

    /**
     * What was heard of a primary.
     *
     * @param listed whether it is known as a primary now
     * @param lastAt when it was heard last, or when it became known as one, if that was later
     * @param heardAt when it was heard last; empty if it never was
     * @param gapAt when it was last known for too long without being heard; empty if it never was
     */
    private record Contact(boolean listed, long lastAt, OptionalLong heardAt, OptionalLong gapAt) {

        Contact next(boolean isListed, boolean isHeard, long askedAt, long askedNanos) {
            boolean comes = isListed && !listed;
            boolean isLate = !comes && (listed || isHeard) && askedAt - lastAt > askedNanos;
            return new Contact(
                    isListed,
                    isHeard || comes ? askedAt : lastAt,
                    isHeard ? OptionalLong.of(askedAt) : heardAt,
                    isLate ? OptionalLong.of(askedAt) : gapAt);
        }
    }

    /** @param askedNanos so long a primary may be silent */
    PrimaryWatch(long askedNanos) {
        this.askedNanos = askedNanos;
    }

    /**
     * Takes which nodes have answered.
     *
     * @param primaries all that any of them knows, failed ones too; empty if none has answered
     * @param heard those that have answered
     */
    void see(Set<String> primaries, Set<String> heard, long askedAt) {
        now = askedAt;
        primaries.forEach(node ->
                contacts.putIfAbsent(node, new Contact(true, askedAt, OptionalLong.empty(), OptionalLong.empty())));
        boolean hasAnswer = !primaries.isEmpty();
        contacts.replaceAll((node, known) -> known.next(
                hasAnswer ? primaries.contains(node) : known.listed(), heard.contains(node), askedAt, askedNanos));
        contacts.values()
                .removeIf(known -> !known.listed()
                        && (known.gapAt().isEmpty() || askedAt - known.gapAt().getAsLong() > KEPT_NANOS));
    }

    /** Returns whether it was heard what a node was moving away when it was replaced. */
    boolean hasHeardAll(Seen.Before before, String node) {
        long since = before.own().at();
        return !before.own().equals(Seen.OwnWord.UNKNOWN)
                && now - since <= KEPT_NANOS
                && contacts.entrySet().stream()
                        .filter(each ->
                                !each.getKey().equals(node) && !each.getKey().equals(before.node()))
                        .allMatch(each -> isHeard(each.getValue(), since, before.replacedAt()));
    }

    private static boolean isHeard(Contact known, long since, long replacedAt) {
        boolean isGap = known.gapAt().isPresent() && known.gapAt().getAsLong() - since > 0;
        boolean isHeardSince = known.heardAt().isPresent() && known.heardAt().getAsLong() - replacedAt > 0;
        return !isGap && (isHeardSince || !known.listed());
    }
}
