// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Nodes;

/** Takes locks: once more if their holder has them already, else from the nodes, with waiting. */
public final class Acquirer {

    private final StopFlag stopFlag;
    private final Reentry reentry;
    private final Requests requests;
    private final Waiting waiting;
    private final Threadless threadless;

    public Acquirer(StopFlag stopFlag, Reentry reentry, Requests requests, Waiting waiting, Threadless threadless) {
        this.stopFlag = stopFlag;
        this.reentry = reentry;
        this.requests = requests;
        this.waiting = waiting;
        this.threadless = threadless;
    }

    /** As below, and an interrupt ends the wait. */
    public AcquireResult acquire(Nodes nodes, LockRequest request, List<Holder> holders, Runnable whenWaiting)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before lock '" + request.name() + "' was asked for");
        }
        return acquire(nodes, request, holders, true, whenWaiting);
    }

    /**
     * Takes the lock, if need be once more, and waits for it for the request's wait timeout.
     *
     * @param request with a wait timeout and a TTL
     * @param holders the holders as which the caller may take the lock; the first one will hold it
     * @param interruptible whether an interrupt ends the wait; else it is kept for later
     * @param whenWaiting run before the thread waits: the caller's nodes are not used any more then
     * @throws IllegalStateException if the holder would wait for itself, or the service is stopped
     */
    public AcquireResult acquire(
            Nodes nodes, LockRequest request, List<Holder> holders, boolean interruptible, Runnable whenWaiting)
            throws InterruptedException {
        HeldLock mine = reentry.enter(request, holders);
        if (mine != null) {
            return new AcquireResult.Held(mine);
        }
        Attempts attempts = requests.begin(request, request.scope() == LeaseScope.DETACHED ? null : holders.get(0));
        AcquireResult done = waiting.acquire(nodes, attempts, interruptible, whenWaiting);
        attempts.done(done);
        return done;
    }

    /**
     * Takes the lock for no certain holder, without a thread that waits.
     *
     * @param lease makes a lease of what was taken
     */
    public CompletableFuture<Lease> acquireAsync(LockRequest request, Function<HeldLock, Lease> lease) {
        stopFlag.requireOpen();
        return threadless.acquire(request, requests.begin(request, null), lease);
    }
}
