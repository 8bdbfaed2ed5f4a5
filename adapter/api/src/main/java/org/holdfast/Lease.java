// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A lock held until a moment.
 *
 * <p>A lease is held from its acquisition until it is released or lost. It is lost when its validity ends without
 * release: renewal did not reach a quorum in time, or the process paused for longer than the TTL. A lost lease is never
 * held again. The end of validity is measured on this process's monotonic clock, from before the first request was
 * sent, so the very first call after a long pause returns the true state.
 *
 * <p>No lock service can stop a holder that pauses between asking {@link #isHeld()} and writing. The {@link #token()}
 * is for that: let the resource store the largest token it has seen and refuse a smaller one. See Martin Kleppmann, <a
 * href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">How to do distributed locking</a>.
 *
 * <p>Safe for use by any number of threads.
 */
public interface Lease extends AutoCloseable {

    /** {@return the lock's name; if the lease covers several, the first that was asked for} */
    String name();

    /** {@return the names that the lease covers} */
    List<String> names();

    /**
     * {@return the fencing token: a positive number, larger than that of every earlier lease on the same name}
     *
     * <p>A lease that a holder took once more has the token of its first. A lease that covers several names has one
     * token, larger than any before on each of them. {@link LockMode#READ} defines what readers' tokens mean; tokens of
     * permits grow with each holder of the same permit.
     */
    long token();

    /** {@return whether the lock is held by this lease now} Asks no node. */
    boolean isHeld();

    /** {@return for how long the lock is held for certain if it is not renewed; zero if it is not held} */
    Duration remaining();

    /**
     * Does nothing if the lock is held by this lease now.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if the lease was released
     */
    void requireHeld();

    /**
     * Renews the lease now, for its full TTL or to the end of its {@code maxHold}. Blocks for one round trip, one node
     * timeout at the most.
     *
     * @return true if a quorum extended the lease; false if too few nodes answered in time and the lease, still held,
     *     keeps the validity it has
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if the lease was released
     */
    boolean renew();

    /**
     * Has the calling thread's transaction keep the lock too: until the transaction has completed, even if this lease
     * is released before. The transaction cannot commit if the lock is lost. Asks no node and needs no connection.
     *
     * @return whether the transaction keeps the lock; false if there is none, or it can only roll back
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if the lease was released
     * @throws LockException if the transaction cannot keep the lock: it has ended meanwhile, or is about to commit and
     *     has checked its locks already, so that the commit would not notice a loss
     */
    boolean joinTransaction();

    /**
     * Calls the listener once if this lease is lost, at once if it is lost already; never after it was released.
     *
     * <p>The call comes on a thread of the container, and no later than the end of validity allows: nothing is called
     * while the process does not run. What the listener throws is logged. Listeners that do not return keep no others
     * waiting, unless there are 24 of them in one service: then the log reports it.
     *
     * @param listener receives the loss; it may block
     * @throws NullPointerException if the listener is null
     */
    void onLost(Consumer<LeaseLoss> listener);

    /**
     * Releases the lock, and returns whether it was still held until then. Calling it again, or after the lease was
     * lost, does nothing.
     *
     * <p>Inside a transaction the lock stays taken until the transaction has completed: no other holder may see what is
     * not committed. Works on an interrupted thread and leaves the interrupt status as it was. Returns when a quorum of
     * nodes has released the lock or a node timeout has passed; the release is sent again to each node that has not
     * confirmed it, until it does; to a node that answers with errors, until a TTL after the first one. With {@link
     * Release#ASYNC} it returns when the release is sent.
     *
     * @return whether the lock was still held by this lease; if it was released before, what was returned then, or
     *     {@link ReleaseResult#UNCONFIRMED} if another thread is still releasing it, or the caller does not wait
     */
    ReleaseResult release();

    /** The same as {@link #release()}, without its result: a caller that needs that calls {@code release} itself. */
    @Override
    default void close() {
        release();
    }
}
