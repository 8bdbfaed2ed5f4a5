// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.SharedSettings;
import org.jspecify.annotations.Nullable;

/**
 * Which process a voter is that may become another one, and whether the votes of that process count now.
 *
 * <p>Witnesses name the process, a majority of them at a time. What this process has asked them counts for a while: a
 * vote counts if it comes so soon after a question that a majority has answered with the voter's name. When a majority
 * names another process for the first time, or finds another one at the same place, a new term begins, and that process
 * is not asked for the same while and a little longer. By then no client counts votes of the process before it: of the
 * two majorities that two clients have heard, one witness has named the former process to the one client before it
 * named the present process to the other. That needs nothing of the former process, which may be cut off, frozen, or
 * have a wrong clock.
 *
 * <p>A term goes on for as long as its votes count. What a majority says after that begins another one, though it is
 * the same: the voter may have been another process meanwhile, and Sentinels that were all replaced begin their epochs
 * again. Those of a cluster never do.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Terms {

    /** So long after a majority was asked the votes of the process that it named count. */
    public static final Duration COUNTS = Duration.ofSeconds(5);

    private final Time time;
    private final long countsNanos;
    private final long settlesNanos;
    private volatile @Nullable State state;

    /**
     * A time in which the voter is one process.
     *
     * @param number how many terms this client has seen, this one included
     * @param place where the process is
     * @param epoch what the witnesses call the term
     * @param process its id; empty where the place itself is that
     * @param learnedAt when this client had heard of it
     * @param again whether it is named as the one before was, whose votes had lapsed: the process is the same
     */
    public record Term(int number, String place, long epoch, String process, long learnedAt, boolean again) {}

    /**
     * @param askedAt when the question was sent that a majority has answered with this term
     * @param askedMicros the wall clock at that moment
     */
    private record State(Term term, long askedAt, long askedMicros) {}

    /**
     * @param counts so long after a question its answer counts; the same for all processes of a deployment
     * @param round how long after a vote other nodes may still vote in the same round: that must be over too when the
     *     next process is asked, so votes count for so much less. Shorter than {@code counts}
     * @param driftFactor bound on the difference of clock rates, as a part of the time that passes
     */
    public Terms(Time time, Duration counts, Duration round, double driftFactor) {
        this.time = time;
        this.countsNanos = counts.minus(round).toNanos();
        this.settlesNanos =
                counts.toNanos() + (long) (2 * driftFactor * counts.toNanos()) + SharedSettings.DRIFT_CONSTANT_NANOS;
    }

    /**
     * Takes what a majority said.
     *
     * @param askedAt when the first of them was asked
     * @param askedMicros the wall clock at that moment
     * @return whether a new term has begun by that
     */
    public synchronized boolean confirm(Witnesses.Agreement agreement, long askedAt, long askedMicros) {
        State known = state;
        boolean same = known != null && isSame(known.term(), agreement);
        if (known != null && same && !hasLapsed(known, askedAt)) {
            Term term = known.term();
            state = askedAt - known.askedAt() > 0 ? new State(term, askedAt, askedMicros) : known;
            return false;
        }
        int number = known == null ? 1 : known.term().number() + 1;
        Term next = new Term(number, agreement.place(), agreement.epoch(), agreement.process(), time.nanoTime(), same);
        state = new State(next, askedAt, askedMicros);
        return true;
    }

    /** By the monotonic clock alone: where it has stood still, the clocks of nodes are to show that. */
    private boolean hasLapsed(State known, long askedAt) {
        boolean mayBeginAgain = !known.term().process().isEmpty();
        return mayBeginAgain && askedAt - known.askedAt() > countsNanos;
    }

    private static boolean isSame(Term term, Witnesses.Agreement agreement) {
        return term.place().equals(agreement.place())
                && term.epoch() == agreement.epoch()
                && term.process().equals(agreement.process());
    }

    /** Returns the present term; empty before the first. */
    public Optional<Term> current() {
        return Optional.ofNullable(state).map(State::term);
    }

    /** Returns the present term if its votes count at this moment. */
    public Optional<Term> counting() {
        State known = state;
        return known != null && sinceAskedNanos(known) <= countsNanos ? Optional.of(known.term()) : Optional.empty();
    }

    /** Returns whether votes of a term count at this moment. */
    public boolean count(int number) {
        State known = state;
        return known != null && known.term().number() == number && sinceAskedNanos(known) <= countsNanos;
    }

    /** Returns how long ago the present term was asked about; nothing before the first. */
    public Optional<Duration> age() {
        return Optional.ofNullable(state).map(known -> Duration.ofNanos(sinceAskedNanos(known)));
    }

    /**
     * The monotonic clock may stand still while a machine is suspended. Then the wall clock shows it, if it is set
     * right by now; where it is wrong, nothing worse comes of it than another question.
     */
    private long sinceAskedNanos(State known) {
        long byWall = TimeUnit.MICROSECONDS.toNanos(time.epochMicros() - known.askedMicros());
        return Math.max(time.nanoTime() - known.askedAt(), byWall);
    }

    /** Returns how long after a process was named for the first time it is not asked, in nanoseconds. */
    public long settlesNanos() {
        return settlesNanos;
    }

    /** Returns for how much longer the process of a term is not to be asked; 0 if it may be. */
    public long unsettledNanos(Term term) {
        return Math.max(0, term.learnedAt() + settlesNanos - time.nanoTime());
    }
}
