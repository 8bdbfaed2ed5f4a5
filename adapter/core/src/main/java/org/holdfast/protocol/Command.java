// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.List;
import java.util.Optional;

/** What a node can be told about a lock. Each may be sent again: for the same owner the effect is the same. */
public sealed interface Command {

    /** A command about one acquisition. */
    sealed interface OfClaim extends Command {

        /** Returns what was acquired, or is to be. */
        Claim claim();
    }

    /**
     * Take what is claimed if nobody else has it and the token is larger than any granted before.
     *
     * @param queueing to be granted only when those who came before have been; empty to take it whoever waits
     * @param maxSkewMicros how far its token may be from the node's clock
     */
    record Acquire(Claim claim, Optional<Queueing> queueing, long maxSkewMicros) implements OfClaim {}

    /**
     * Has a lock taken only by who is first of those who wait for it.
     *
     * @param ticket the caller's place; empty if it does not wait, and then nobody may
     */
    record Queueing(Optional<Ticket> ticket) {}

    /** Keep what is claimed for another TTL; take it again if nobody has it and no larger token was granted since. */
    record Renew(Claim claim) implements OfClaim {}

    /**
     * Give back what is claimed if the owner has it.
     *
     * @param tombstone also refuse from now on what is still under way of it, on whatever connection
     * @param held whether it was held, or is the attempt of a client that has never had it: what such an attempt leaves behind
     *     must not keep the present holder from healing the node
     */
    record Release(Claim claim, boolean tombstone, boolean held) implements OfClaim {

        /** Ends a lease. */
        static Release ofLease(Claim claim) {
            return new Release(claim, true, true);
        }

        /** Undoes an attempt whose answer came, or comes before that to this. */
        static Release ofAttempt(Claim claim) {
            return new Release(claim, false, false);
        }

        /** Undoes an attempt whose answer is missing. */
        static Release ofLostAttempt(Claim claim) {
            return new Release(claim, true, false);
        }
    }

    /**
     * Keep tickets in their places for another TTL.
     *
     * @param tickets one or more, of the same lock, of owners who all want to read or all want the lock alone
     */
    record Refresh(List<Ticket> tickets) implements Command {}

    /**
     * Take a ticket away.
     *
     * @param announced whether those behind it are told: they need not be if its owner has the lock now
     */
    record Leave(Ticket ticket, boolean announced) implements Command {}

    /**
     * Find a permit that nobody has.
     *
     * @param permits how many there are
     * @param first with which to begin
     */
    record FindPermit(String semaphore, int permits, int first) implements Command {}

    /** Tell who has locks. */
    record Inspect(List<Target> locks) implements Command {}

    /**
     * Take locks away from whoever has them, with a token smaller than this one, and grant such tokens no more.
     *
     * <p>Whoever has a lock with a larger token came later and was not meant: so a command that is late, because its node hung,
     * does no harm.
     *
     * @param maxSkewMicros how far the token may be from the node's clock
     */
    record ForceRelease(List<Target> locks, long token, long fenceMillis, long maxSkewMicros) implements Command {}
}
