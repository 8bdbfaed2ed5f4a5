// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A command to a node about a lock or a latch. Each may be sent again: for the same owner the effect is the same. */
public sealed interface Command {

    /** The nodes whose connections a thread that sends waits for, where they have to be opened. */
    enum Awaited {
        /** All of them: each counts. */
        ALL,
        /** A quorum of them: where one is connected, the others receive the command later. */
        QUORUM,
        /** None: what is not received is made good in some other way. */
        NONE
    }

    /** Returns the nodes whose connections its sender waits for. */
    default Awaited awaited() {
        return Awaited.ALL;
    }

    /** A command about one acquisition. */
    sealed interface OfClaim extends Command {

        /** Returns what was acquired, or is to be. */
        Claim claim();
    }

    /**
     * Take what is claimed if no other owner has it and the token is larger than any granted before.
     *
     * @param queueing to be granted only after the waiters that came before; empty to take it regardless of waiters
     * @param maxSkewMicros how far its token may be from the node's clock
     */
    record Acquire(Claim claim, Optional<Queueing> queueing, long maxSkewMicros) implements OfClaim {}

    /**
     * Lets a lock be granted only when it is the caller's turn among the waiters.
     *
     * @param ticket the caller's place; empty if it does not wait: then every waiter comes before it
     */
    record Queueing(Optional<Ticket> ticket) {}

    /**
     * Keep what is claimed for another TTL; take it again if no owner has it and no larger token was granted since.
     *
     * @param last whether it may end earlier than so far: its holder has released it, and lets it end with its TTL
     */
    record Renew(Claim claim, boolean last) implements OfClaim {

        /** Keeps a lease of a holder. */
        public Renew(Claim claim) {
            this(claim, false);
        }

        @Override
        public Awaited awaited() {
            return last ? Awaited.QUORUM : Awaited.ALL;
        }
    }

    /**
     * Release what is claimed if the owner has it.
     *
     * @param tombstone also refuse from now on its commands that are still under way, on any connection
     * @param held whether it was held, or is the attempt of a client that has never had it: what such an attempt leaves
     *     behind must not keep the present holder from healing the node
     */
    record Release(Claim claim, boolean tombstone, boolean held) implements OfClaim {

        @Override
        public Awaited awaited() {
            return Awaited.QUORUM;
        }

        /** Ends a lease. */
        public static Release ofLease(Claim claim) {
            return new Release(claim, true, true);
        }

        /** Undoes an attempt whose answer has come, or will come before the answer to this command. */
        public static Release ofAttempt(Claim claim) {
            return new Release(claim, false, false);
        }

        /** Undoes an attempt whose answer is missing. */
        public static Release ofLostAttempt(Claim claim) {
            return new Release(claim, true, false);
        }
    }

    /**
     * Keep tickets in their places for another TTL.
     *
     * @param tickets one or more, of the same lock, of owners that all want to read or all want the lock alone
     */
    record Refresh(List<Ticket> tickets) implements Command {

        @Override
        public Awaited awaited() {
            return Awaited.NONE;
        }
    }

    /**
     * Take a ticket away.
     *
     * @param announced whether the waiters behind it are notified: they need not be if its owner has the lock now
     */
    record Leave(Ticket ticket, boolean announced) implements Command {

        @Override
        public Awaited awaited() {
            return Awaited.NONE;
        }
    }

    /**
     * Find a permit that is free.
     *
     * @param permits how many there are
     * @param first the permit with which to begin
     */
    record FindPermit(String semaphore, int permits, int first) implements Command {}

    /**
     * Record calls that count a latch down, and report all that are recorded.
     *
     * @param ids of the calls, perhaps none: each was drawn for a call that was made, or was read from a node
     * @param keptMillis how long a node keeps the latch from now on
     */
    record UseLatch(Latch latch, Set<String> ids, long keptMillis) implements Command {

        public UseLatch {
            ids = Set.copyOf(ids);
        }
    }

    /** Report the holders of locks. */
    record Inspect(List<Target> locks) implements Command {}

    /**
     * Take locks away from all holders that have a token smaller than this one, and grant such tokens no more.
     *
     * <p>A holder with a larger token came later and was not meant: so a command that is late, because its node hung,
     * does no harm.
     *
     * @param maxSkewMicros how far the token may be from the node's clock
     * @param holder the only one that is meant, which has the locks exclusively; empty for all holders
     */
    record ForceRelease(List<Target> locks, long token, long fenceMillis, long maxSkewMicros, Optional<Owner> holder)
            implements Command {

        /** Takes locks away from all holders. */
        public ForceRelease(List<Target> locks, long token, long fenceMillis, long maxSkewMicros) {
            this(locks, token, fenceMillis, maxSkewMicros, Optional.empty());
        }
    }
}
