// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.List;
import java.util.Optional;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.protocol.LockSession;

/**
 * A handle as the container knows it, with what the factory and its connections do beyond the API. An interface, because some
 * containers hand out proxies of handles.
 */
public interface ContainerConnection extends LockConnection {

    /**
     * As {@link #acquire(LockRequest)}.
     *
     * @param whenWaiting told before the thread waits, once: the call does not use this connection any more then
     */
    Lease acquire(LockRequest request, Runnable whenWaiting) throws InterruptedException;

    /** As {@link #tryAcquire(LockRequest)}, and as above. */
    Optional<Lease> tryAcquire(LockRequest request, Runnable whenWaiting) throws InterruptedException;

    /** Returns what the connection's leases are bound to. */
    LockSession session();

    /** Goes on with the leases of another connection: they end with this one now. To be called before it takes any itself. */
    void goOnWith(LockSession other);

    /** Gives the connection back to the container, as {@link #close()} does, and lets its leases live. */
    void giveBack();

    /** As {@link LockConnectionFactory#holders(LockRequest)}. */
    List<LockHolder> holders(LockRequest request);

    /** As {@link LockConnectionFactory#forceRelease(LockRequest)}. */
    List<LockHolder> forceRelease(LockRequest request);
}
