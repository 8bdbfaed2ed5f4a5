// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.SharedSettings;
import org.jspecify.annotations.Nullable;

/**
 * The settings that processes of a deployment share, and those that some still have while a change is rolled out.
 *
 * <p>A change takes two steps. First every process is started with the new settings and, as {@code previous...}, the
 * old ones: it then accepts both, writes both into the mark, and keeps the limits of both. When no process is left that
 * knows the old settings only, every process is started without {@code previous...}.
 *
 * @param current what processes have, or are to have
 * @param previous what some processes still have
 */
public record AcceptedSettings(SharedSettings current, Optional<SharedSettings> previous) {

    private static final char CHANGE = '>';

    public AcceptedSettings {
        Objects.requireNonNull(current);
        previous = previous.filter(old -> !old.equals(current));
    }

    /** Settings that nothing changes. */
    public AcceptedSettings(SharedSettings current) {
        this(current, Optional.empty());
    }

    /** Returns the settings that a text stands for, or nothing if it is none of ours. */
    static Optional<AcceptedSettings> parse(String text) {
        int change = text.indexOf(CHANGE);
        Optional<SharedSettings> current = SharedSettings.parse(text.substring(change + 1));
        Optional<SharedSettings> previous =
                change < 0 ? Optional.empty() : SharedSettings.parse(text.substring(0, change));
        return current.isEmpty() || change >= 0 && previous.isEmpty()
                ? Optional.empty()
                : Optional.of(new AcceptedSettings(current.get(), previous));
    }

    /** Returns the text that stands for these settings in a birth mark. */
    String text() {
        return previous.map(old -> old.text() + CHANGE).orElse("") + current.text();
    }

    /** Returns the settings with which each of the processes is safe. */
    public SharedSettings widest() {
        return previous.map(current::widest).orElse(current);
    }

    /**
     * Returns for how long the heartbeat of a look lasts. While a change is rolled out no lease is longer than the
     * previous settings allow, and no lock lingers for less than they say: the new ones alone would have the heartbeat
     * outlast locks of processes that do not know them.
     */
    public Duration heartbeat() {
        return previous.orElse(current).heartbeat();
    }

    /**
     * Returns the settings to keep in a mark that has other ones, or nothing if this process must not use the node.
     *
     * @param idleMicros for how long no process has looked at the node
     * @param outdatedMicros for how long no process has looked that knows only the settings that are being changed
     */
    Optional<AcceptedSettings> resolve(AcceptedSettings marked, long idleMicros, long outdatedMicros) {
        if (marked.equals(this) || isChangeTowardsOthers(marked)) {
            return Optional.of(marked);
        }
        boolean alone =
                marked.previous.filter(old -> !isOver(old, outdatedMicros)).isEmpty();
        return isFinishing(marked) && alone || isBeginning(marked) || isOver(marked.widest(), idleMicros)
                ? Optional.of(this)
                : Optional.empty();
    }

    /** Returns whether this process does not know the settings towards which a change is rolled out. */
    boolean isOutdatedBy(AcceptedSettings marked) {
        return previous.isEmpty() && marked.previous.filter(current::equals).isPresent();
    }

    /**
     * Other processes roll out a change from the settings of this one, or have finished the change that this one
     * begins.
     */
    private boolean isChangeTowardsOthers(AcceptedSettings marked) {
        return previous.isEmpty()
                ? marked.previous.filter(current::equals).isPresent()
                : marked.previous.isEmpty() && marked.current.equals(current);
    }

    /** The change has reached its second step. */
    private boolean isFinishing(AcceptedSettings marked) {
        return previous.isEmpty() && marked.current.equals(current);
    }

    /** The change begins, or turns round. */
    private boolean isBeginning(AcceptedSettings marked) {
        return previous.isPresent() && (marked.isOnly(previous.get()) || marked.isReverseOf(this));
    }

    private boolean isOnly(SharedSettings one) {
        return previous.isEmpty() && current.equals(one);
    }

    private boolean isReverseOf(AcceptedSettings other) {
        return other.previous.filter(current::equals).isPresent()
                && previous.filter(other.current::equals).isPresent();
    }

    /** No process with these settings has looked for so long: what such processes had held or proposed is over. */
    private boolean isOver(SharedSettings theirs, long idleMicros) {
        long locks = TimeUnit.NANOSECONDS.toMicros(theirs.heartbeat().toNanos());
        long ours = TimeUnit.MILLISECONDS.toMicros(widest().fenceRetentionMillis());
        boolean clocksMayDifferMore = widest().fenceRetentionMillis() > theirs.fenceRetentionMillis();
        long over = clocksMayDifferMore ? Math.max(locks, ours) : locks;
        return idleMicros > over;
    }

    /** Returns the settings by their names. */
    @Override
    public String toString() {
        return current + previous.map(old -> " (previously " + old + ")").orElse("");
    }

    /**
     * The settings of other processes, as this one has seen them last on a node of one voter: all nodes of a cluster
     * are used with the same. Safe for use by any number of threads.
     */
    public static final class OfOthers {

        /** By then a process has looked at each node that it knew when it started: it does so once a second. */
        private static final long LOOKS_NANOS = TimeUnit.SECONDS.toNanos(2);

        private volatile @Nullable Seen seen;
        private volatile @Nullable Long firstLookAt;

        private record Seen(AcceptedSettings acceptedSettings, long at) {}

        /** This process begins to look at a node that it may use. */
        void looked(long now) {
            if (firstLookAt == null) {
                firstLookAt = now;
            }
        }

        /** Returns for how many nanoseconds more this process may not have looked at each node that it knows. */
        long restNanos(long now) {
            Long first = firstLookAt;
            return first == null ? LOOKS_NANOS : Math.max(0, first + LOOKS_NANOS - now);
        }

        /** A node is used with these settings, and this process has others. */
        void saw(AcceptedSettings theirs, long now) {
            seen = new Seen(theirs, now);
        }

        /** Returns the settings that were seen so lately that locks of these processes may be in force. */
        Optional<AcceptedSettings> inForce(long now) {
            return Optional.ofNullable(seen)
                    .filter(it -> now - it.at()
                            < it.acceptedSettings().widest().quarantine().toNanos())
                    .map(Seen::acceptedSettings);
        }
    }
}
