// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.Cohort;
import org.holdfast.protocol.lease.Grants;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.Taker;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.queue.Demand;
import org.holdfast.protocol.queue.Places;
import org.holdfast.protocol.quorum.PermitSearch;
import org.holdfast.protocol.quorum.QuorumResult;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;
import org.jspecify.annotations.Nullable;

/** Claims locks on the nodes, each time with a new owner and a new token, and keeps what they grant. */
public final class Claims {

    private final Time time;
    private final Randomness randomness;
    private final Timing timing;
    private final Redlock redlock;
    private final TokenClock tokens;
    private final Grants grants;
    private final ProcessInfo processInfo;

    /** @param processInfo this process, as its holders are described to others */
    public Claims(
            Time time,
            Randomness randomness,
            Timing timing,
            Redlock redlock,
            TokenClock tokens,
            Grants grants,
            ProcessInfo processInfo) {
        this.time = time;
        this.randomness = randomness;
        this.timing = timing;
        this.redlock = redlock;
        this.tokens = tokens;
        this.grants = grants;
        this.processInfo = processInfo;
    }

    /**
     * Returns what claims for the calling thread.
     *
     * @param holder the holder that is to have the lock; null for none in particular
     */
    Claiming begin(Demand demand, @Nullable Holder holder) {
        return new Claiming(demand, holder);
    }

    /** The claims of one caller. Its attempts are made by one thread at a time. */
    final class Claiming {

        private final Demand demand;
        private final LockRequest request;
        private final @Nullable Holder holder;
        private final long threadId = Thread.currentThread().getId();
        private final String asking;
        private int permit;
        private @Nullable HeldLock held;

        private Claiming(Demand demand, @Nullable Holder holder) {
            this.demand = demand;
            this.request = demand.request();
            this.holder = holder;
            this.asking = holder == null ? Thread.currentThread().getName() : holder.describe();
            if (request.permits() > 1) {
                permit = (int) randomness.below(request.permits());
            }
        }

        /** Returns what the last attempt got, if it got anything. */
        @Nullable
        HeldLock held() {
            return held;
        }

        /**
         * Attempts once.
         *
         * @param place the caller's, of which the nodes are told if they know the waiters
         * @param countsVotes see {@link Redlock#acquire}
         */
        QuorumResult attempt(Nodes nodes, Places.Place place, long deadline, boolean countsVotes) {
            QuorumResult result = attemptOne(nodes, place, deadline, countsVotes);
            if (!hasPermits() || !(result instanceof QuorumResult.Contended first)) {
                return result;
            }
            PermitSearch search = search(nodes, deadline);
            if (!takes(search)) {
                return first.orFreeIn(search.remainingMillis());
            }
            QuorumResult next = attemptOne(nodes, place, deadline, countsVotes);
            return next instanceof QuorumResult.Contended second ? second.after(first) : next;
        }

        private boolean hasPermits() {
            return LockShape.of(request).hasPermits();
        }

        /** Looks for a permit that is free, or for when one will be. */
        private PermitSearch search(Nodes nodes, long deadline) {
            Command.FindPermit find = new Command.FindPermit(
                    request.name(), request.permits(), (int) randomness.below(request.permits()));
            return redlock.findPermit(nodes, find, deadline);
        }

        /** Takes the permit that was found for the next attempt; returns whether one was. */
        private boolean takes(PermitSearch search) {
            OptionalInt free = search.free();
            if (free.isEmpty() || free.getAsInt() >= request.permits()) {
                return false;
            }
            permit = free.getAsInt();
            return true;
        }

        /** Returns whether no quorum knows a holder of what was asked for: a hint only. Asks the nodes. */
        boolean isFree(Nodes nodes, long deadline) {
            return hasPermits()
                    ? takes(search(nodes, deadline))
                    : !redlock.isHeld(nodes, LockShape.targets(request), deadline);
        }

        private QuorumResult attemptOne(Nodes nodes, Places.Place place, long deadline, boolean countsVotes) {
            Optional<Command.Queueing> queueing = place.queueing();
            Target target = LockShape.of(request).target(demand.names(), permit);
            int more = demand.mayBeHandedOff() ? Handoff.MOST : 0;
            long drawnAt = time.nanoTime(); // before the token: the thread may stand still at any moment
            long token = tokens.next(more);
            HolderInfo holderInfo = holderInfo(token);
            Owner owner = holderInfo.owner(randomness.uniqueId());
            long fenceMillis = timing.fenceMillis(demand.ttlMillis());
            Claim claim = new Claim(target, owner, token, token + more, demand.ttlMillis(), fenceMillis);
            long standstillsBefore = grants.standstills();
            QuorumResult result = redlock.acquire(
                    nodes,
                    new Command.Acquire(claim, queueing, timing.maxSkewMicros()),
                    drawnAt,
                    deadline,
                    countsVotes,
                    place::asked);
            if (result instanceof QuorumResult.TokenTooSmall refused) {
                tokens.observe(refused.last());
            } else if (result instanceof QuorumResult.ClockSkewed || result instanceof QuorumResult.TokenOutOfDate) {
                tokens.forget();
            } else if (result instanceof QuorumResult.Acquired acquired) {
                Cohort cohort = new Cohort(
                        acquired.startedNanos(), standstillsBefore, queueing.map(queued -> acquired.behind()));
                held = grants.keep(claim, cohort, taker(holderInfo), demand.terms(), acquired, nodes);
                return grants.loseIfStoodStill(held) ? stoodStill() : result;
            }
            return result;
        }

        private HolderInfo holderInfo(long token) {
            long sinceMillis = time.epochMicros() / 1_000;
            return new HolderInfo(processInfo, asking, request.mode(), token, sinceMillis);
        }

        private static QuorumResult stoodStill() {
            return new QuorumResult.Undetermined(Map.of("this process", "its clock stood still"));
        }

        /** Returns the caller as the taker of a lock with this token. */
        Taker taker(long token) {
            return taker(holderInfo(token));
        }

        private Taker taker(HolderInfo holderInfo) {
            return new Taker(holder, holderInfo, threadId);
        }

        /** Takes over a lock that was handed off to the caller. */
        HeldLock takeOver(HeldLock handed, Nodes nodes) {
            return grants.takeOver(handed, nodes);
        }
    }
}
