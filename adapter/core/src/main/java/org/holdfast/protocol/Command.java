// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/** What a node can be told about a lock. Each may be sent again: for the same owner the effect is the same. */
public sealed interface Command {

    /** Returns the lock's name. */
    String lock();

    /** A command after which the owner has the lock for a TTL, if it is granted. */
    sealed interface Take extends Command {

        /** Returns who is to have it. */
        Owner owner();

        /** Returns the fencing token of the lease. */
        long token();

        /** Returns how long the node keeps the lock. */
        long ttlMillis();

        /** Returns how long the node remembers the token. */
        long fenceMillis();
    }

    /**
     * Take the lock if nobody else has it and the token is larger than any granted before.
     *
     * @param ttlMillis how long the node keeps it
     * @param fenceMillis how long the node remembers the token
     */
    record Acquire(String lock, Owner owner, long token, long ttlMillis, long fenceMillis) implements Take {

        /** Returns the command that extends what this one took. */
        public Renew renewal() {
            return new Renew(lock, owner, token, ttlMillis, fenceMillis);
        }

        /** Returns the command that gives back what this one took. */
        public Release release(boolean tombstone) {
            return new Release(lock, owner, token, fenceMillis, tombstone);
        }
    }

    /** Keep the lock for another TTL; take it again if nobody has it and no larger token was granted since. */
    record Renew(String lock, Owner owner, long token, long ttlMillis, long fenceMillis) implements Take {}

    /**
     * Give the lock back if the owner has it.
     *
     * @param tombstone also refuse from now on what is still under way of this lease, on whatever connection
     */
    record Release(String lock, Owner owner, long token, long fenceMillis, boolean tombstone) implements Command {}
}
