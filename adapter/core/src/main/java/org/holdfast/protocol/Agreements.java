// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The settings that processes of a deployment share, and those that some still have while a change is rolled out.
 *
 * <p>A change takes two steps. First every process is started with the new settings and, as {@code previous...}, the old ones:
 * it then accepts both, writes both into the mark, and keeps the limits of both. When no process is left that knows the old
 * settings only, every process is started without {@code previous...}.
 *
 * @param current what processes have, or are to have
 * @param previous what some processes still have
 */
public record Agreements(Agreement current, Optional<Agreement> previous) {

    private static final char CHANGE = '>';

    public Agreements {
        Objects.requireNonNull(current);
        previous = previous.filter(old -> !old.equals(current));
    }

    /** Settings that nothing changes. */
    public Agreements(Agreement current) {
        this(current, Optional.empty());
    }

    /** Returns the settings that a text stands for, or nothing if it is none of ours. */
    static Optional<Agreements> parse(String text) {
        int change = text.indexOf(CHANGE);
        Optional<Agreement> current = Agreement.parse(text.substring(change + 1));
        Optional<Agreement> previous = change < 0 ? Optional.empty() : Agreement.parse(text.substring(0, change));
        return current.isEmpty() || change >= 0 && previous.isEmpty()
                ? Optional.empty()
                : Optional.of(new Agreements(current.get(), previous));
    }

    /** Returns the text that stands for these settings in a birth mark. */
    String text() {
        return previous.map(old -> old.text() + CHANGE).orElse("") + current.text();
    }

    /** Returns the settings with which each of the processes is safe. */
    public Agreement widest() {
        return previous.map(current::widest).orElse(current);
    }

    /**
     * Returns what a mark is to say that says something else, or nothing if this process must not use the node.
     *
     * @param idleMicros for how long no process has looked at the node
     * @param outdatedMicros for how long no process has looked that knows only the settings that are being changed
     */
    Optional<Agreements> resolve(Agreements marked, long idleMicros, long outdatedMicros) {
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
    boolean isOutdatedBy(Agreements marked) {
        return previous.isEmpty() && marked.previous.filter(current::equals).isPresent();
    }

    /** Other processes roll out a change from the settings of this one, or have finished the change that this one begins. */
    private boolean isChangeTowardsOthers(Agreements marked) {
        return previous.isEmpty()
                ? marked.previous.filter(current::equals).isPresent()
                : marked.previous.isEmpty() && marked.current.equals(current);
    }

    /** The change has reached its second step. */
    private boolean isFinishing(Agreements marked) {
        return previous.isEmpty() && marked.current.equals(current);
    }

    /** The change begins, or turns round. */
    private boolean isBeginning(Agreements marked) {
        return previous.isPresent() && (marked.isOnly(previous.get()) || marked.isReverseOf(this));
    }

    private boolean isOnly(Agreement one) {
        return previous.isEmpty() && current.equals(one);
    }

    private boolean isReverseOf(Agreements other) {
        return other.previous.filter(current::equals).isPresent()
                && previous.filter(other.current::equals).isPresent();
    }

    /** No process is left of those that have not looked for so long: what they had held or proposed is over. */
    private boolean isOver(Agreement theirs, long idleMicros) {
        long locks = TimeUnit.NANOSECONDS.toMicros(theirs.quarantine().toNanos());
        long ours = TimeUnit.MILLISECONDS.toMicros(widest().fenceRetentionMillis());
        boolean clocksMayDifferMore = widest().fenceRetentionMillis() > theirs.fenceRetentionMillis();
        long over = clocksMayDifferMore ? Math.max(locks, ours) : locks;
        return idleMicros > over;
    }

    /** Says the settings by their names. */
    @Override
    public String toString() {
        return current + previous.map(old -> " (previously " + old + ")").orElse("");
    }
}
