// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.lease.Leases;
import org.holdfast.protocol.lease.Taker;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.protocol.quorum.QuorumResult;
import org.jspecify.annotations.Nullable;

/** The places in line of the callers of this process: in its queues, and by ticket on the nodes. */
public final class Places {

    /** So deep, in steps of the stack, a thread goes to leave the line: else it would stand there for ever. */
    private static final int STEPS = 256;

    private final WaitQueues waitQueues;
    private final Tickets tickets;
    private final Leases leases;
    private final Handoff handoff;
    private final HandoffYield handoffYield;
    private final ReleaseNotifications notifications;
    private final Recorder recorder;

    public Places(
            WaitQueues waitQueues,
            Tickets tickets,
            Leases leases,
            Handoff handoff,
            HandoffYield handoffYield,
            ReleaseNotifications notifications,
            Recorder recorder) {
        this.waitQueues = waitQueues;
        this.tickets = tickets;
        this.leases = leases;
        this.handoff = handoff;
        this.handoffYield = handoffYield;
        this.notifications = notifications;
        this.recorder = recorder;
    }

    /**
     * Returns the place of a caller that does not stand in line yet.
     *
     * @param taker returns the caller as the taker of a lock with a token
     */
    public Place of(Demand demand, LongFunction<Taker> taker, Patience patience) {
        return new Place(demand, taker, patience);
    }

    /** The place of one caller. For one thread at a time. */
    public final class Place {

        private final Demand demand;
        private final LongFunction<Taker> taker;
        private final Patience patience;
        private WaitQueues.@Nullable Turn turn;
        private volatile @Nullable Ticket ticket;
        private boolean overtaken;

        /** To so many of its names, the first ones. */
        private int subscribed;

        private volatile Recorder.@Nullable Queueing queueing;

        private Place(Demand demand, LongFunction<Taker> taker, Patience patience) {
            this.demand = demand;
            this.taker = taker;
            this.patience = patience;
        }

        /** Returns whether no caller of this process waits in the line, and others are not to go first. */
        public boolean isFree() {
            return !waitQueues.isWaitedFor(demand.line()) && isBeforeOthers();
        }

        /** Returns whether no callers of other processes are to go first, as far as is known. */
        public boolean isBeforeOthers() {
            return !areOthersInTurn() && yieldNanos() <= 0;
        }

        /**
         * Returns whether the nodes know the waiters, and others are likely to be among them: they keep out a caller
         * without a ticket. Most readers do not wait.
         */
        private boolean areOthersInTurn() {
            LockRequest request = demand.request();
            return demand.isInTurn()
                    && request.mode() != LockMode.READ
                    && handoffYield.haveOthersWaited(request.name());
        }

        /** Returns for how long other processes are to go first; 0 or less if they are not. */
        public long yieldNanos() {
            return demand.isInTurn()
                    ? 0
                    : handoffYield.nanosLeft(demand.request().name());
        }

        /**
         * Returns for how long this process itself keeps the caller out: in line, also while it releases the lock. A
         * caller that does not stand there would not be woken when that is done.
         */
        public long keptOutNanos() {
            return turn == null
                    ? leases.remainingNanos(demand.names(), demand::isKeptOutBy)
                    : leases.keptOutNanos(demand.names(), demand::isKeptOutBy);
        }

        /** Waits for releases by this process that no caller waits for. */
        public void awaitReleases() {
            leases.awaitReleases(demand.names());
        }

        /** Returns a number that grows with each wake, to see later whether one was missed. */
        public long wakes() {
            return waitQueues.wakes();
        }

        /** Returns whether the nodes know the waiters. */
        public boolean isInTurn() {
            return demand.isInTurn();
        }

        /** Has releases by other processes wake the heads of the lines of these names. */
        public void subscribe() {
            List<String> names = demand.names();
            while (subscribed < names.size()) {
                notifications.subscribe(names.get(subscribed));
                subscribed++;
            }
        }

        public void unsubscribe() {
            while (subscribed > 0) {
                subscribed--;
                notifications.unsubscribe(demand.names().get(subscribed));
            }
        }

        /** Returns whether no release of any of the names can be missed, as far as is known. */
        public boolean isSubscribed() {
            return demand.names().stream().allMatch(notifications::isSubscribed);
        }

        /**
         * Joins the end of the line.
         *
         * @param whenWoken is called when the turn may have come, on any thread. Must not block
         */
        public WaitQueues.Turn enter(Runnable whenWoken) {
            SureLock.requireRoom(STEPS);
            turn = waitQueues.enter(demand.line(), waiter(whenWoken));
            return turn;
        }

        private WaitQueues.Waiter waiter(Runnable whenWoken) {
            return new WaitQueues.Waiter() {
                @Override
                public void wake() {
                    whenWoken.run();
                }

                @Override
                public void joined() {
                    Place.this.joined();
                }

                @Override
                public boolean hasPlace() {
                    return hasWaited() && (!demand.isInTurn() || isKnown());
                }

                @Override
                public @Nullable HeldLock handOff(HeldLock old) {
                    return Place.this.handOff(old);
                }
            };
        }

        /** Returns whether the caller has stood in line. */
        public boolean hasWaited() {
            return queueing != null;
        }

        private void joined() {
            ticket = null;
            overtaken = false;
        }

        /** The caller begins to wait in the line. */
        public void stay() {
            queueing = recorder.queueing();
        }

        /** Draws a ticket, which the nodes are shown from now on: callers do so in the order of the line. */
        public void show() {
            Ticket known = ticket;
            Ticket drawn = tickets.draw(demand.request());
            ticket = known == null ? drawn : drawn.ofOwner(known.id()); // for nodes that know it: the place moves
        }

        /** Returns whether the lock is asked for to read. */
        public boolean reads() {
            return demand.request().mode() == LockMode.READ;
        }

        private boolean isKnown() {
            Ticket mine = ticket;
            return mine != null && mine.known();
        }

        /** The question for the place is under way to the nodes, in front of whatever is sent later. */
        public void asked() {
            WaitQueues.Turn mine = turn;
            if (mine != null && isNew()) {
                mine.asked();
            }
        }

        /** Takes over from a holder in this process that does not need the lock any more; null if it does not fit. */
        private @Nullable HeldLock handOff(HeldLock old) {
            return demand.isMetBy(old) && isNext(old) && handoff.lastsFor(demand.terms(), old) && patience.left() > 0
                    ? handoff.toNext(old, taker.apply(old.token() + 1), demand.terms())
                    : null;
        }

        /** Returns whether no waiter of another process comes first, where these stand in the same line. */
        private boolean isNext(HeldLock old) {
            Ticket mine = ticket;
            return mine == null ? !demand.isInTurn() : old.cohort().isNext(mine.number());
        }

        /** Notes what an attempt found, for all in the line. */
        public void note(QuorumResult found, long begun) {
            if (turn != null) {
                turn.found(new WaitQueues.Found(found, begun));
            }
        }

        /** Returns what the last attempt of any waiter in the line found; null if there was none. */
        public WaitQueues.@Nullable Found found() {
            return turn == null ? null : turn.found();
        }

        /** Returns what an attempt tells the nodes of the place; empty where they do not know the waiters. */
        public Optional<Command.Queueing> queueing() {
            return demand.isInTurn()
                    ? Optional.of(new Command.Queueing(Optional.ofNullable(ticket)))
                    : Optional.empty();
        }

        /** Returns whether there is a ticket that the nodes do not know yet. */
        public boolean isNew() {
            Ticket mine = ticket;
            return mine != null && !mine.known();
        }

        /** Takes note of what the nodes said of the ticket. */
        public void attempted(QuorumResult result) {
            if (result instanceof QuorumResult.Overtaken late) {
                tickets.observe(late.last());
                overtaken = ticket != null; // a caller without one has no place to lose: that node is faulty
            } else if (result instanceof QuorumResult.TokenOutOfDate) {
                overtaken = isNew(); // its number may be what is too far ahead
            } else if (isNew() && result instanceof QuorumResult.Contended) {
                Ticket accepted = Objects.requireNonNull(ticket, "a new ticket").accepted();
                ticket = accepted;
                tickets.keep(accepted, patience.left());
                Objects.requireNonNull(turn, "not in line").placed(accepted.number());
            }
        }

        /** Returns whether the ticket has no place on the nodes: another has to be drawn, at the end of the line. */
        public boolean isOvertaken() {
            return overtaken;
        }

        /** Releases a lock that the caller got and cannot have. */
        public void giveBack(HeldLock got) {
            try {
                leases.giveBack(LeaseShare.of(got, got.isReading()));
            } catch (RuntimeException | Error e) {
                got.neglect();
                throw e;
            }
        }

        /**
         * Leaves the line, and leaves nothing there.
         *
         * @param got the lock that the caller has now; null if it gave up or comes again
         */
        public void leave(@Nullable HeldLock got) {
            try {
                leaveQueue(Objects.requireNonNull(turn, "not in line"), got);
            } finally {
                leaveTicket(got);
            }
            Recorder.Queueing recorded = queueing;
            if (recorded != null) { // last: a recorder that fails must leave nothing behind
                recorded.ended(demand.line().lock(), demand.line().kind().name(), got != null);
            }
        }

        private void leaveTicket(@Nullable HeldLock got) {
            Ticket mine = ticket;
            if (mine == null) {
                return;
            }
            if (got != null && got.cohort().passed() > 0 && tickets.expireWithin(leases.remaining(got))) {
                tickets.leaveWithOthers(mine);
            } else {
                tickets.leave(mine, got == null && !overtaken);
            }
        }

        private void leaveQueue(WaitQueues.Turn left, @Nullable HeldLock got) {
            try {
                left.leave();
            } finally {
                HeldLock handed = left.handed();
                if (handed != null && handed != got) { // just now, and too late
                    giveBack(handed);
                }
            }
        }
    }
}
