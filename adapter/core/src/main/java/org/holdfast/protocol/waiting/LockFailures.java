// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.LeaseLoss;
import org.holdfast.LeaseLostException;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.env.Callbacks;
import org.holdfast.protocol.lease.HeldLock;

/** Reports to applications why they do not have a lock. */
public final class LockFailures {

    private LockFailures() {}

    /** @param done what came of acquiring, other than a lease */
    public static LockException of(AcquireResult done, LockRequest request) {
        if (done instanceof AcquireResult.TimedOut) {
            return timedOut(request);
        }
        if (done instanceof AcquireResult.Unavailable none) {
            return new QuorumUnavailableException(request.name(), none.nodes(), none.waited(), none.failures());
        }
        return clockSkewed(request);
    }

    /** @param request with a wait timeout */
    private static LockTimeoutException timedOut(LockRequest request) {
        return new LockTimeoutException(request.name(), request.waitTimeout().orElseThrow());
    }

    /**
     * Reports which holder has the lock now.
     *
     * @param request with a wait timeout
     */
    public static LockTimeoutException timedOut(LockRequest request, String holder) {
        return new LockTimeoutException(request.name(), request.waitTimeout().orElseThrow(), holder);
    }

    /**
     * Reports that the calling thread waited for itself.
     *
     * @param request with a wait timeout
     * @param mine a lock that the calling thread has taken under one of the names
     */
    public static LockTimeoutException timedOut(LockRequest request, HeldLock mine) {
        String taken = mine.isDetached()
                ? "it has taken a detached lease, which no request re-enters"
                : "it has taken the lock as " + mine.holderInfo().thread()
                        + ", and this request is detached or of another transaction";
        return new LockTimeoutException(
                request.name(), request.waitTimeout().orElseThrow(), "the calling thread itself: " + taken);
    }

    /** Reports why a lock that was held cannot be relied upon. */
    public static LockException notConfirmed(HeldLock heldLock) {
        LeaseLoss loss = heldLock.loss();
        if (loss != null) {
            return new LeaseLostException(loss);
        }
        String ends = "the lease on '" + heldLock.lock() + "' is about to end";
        Optional<Duration> maxHold = heldLock.terms().maxHold();
        if (maxHold.isPresent() && !heldLock.isExtensible()) {
            return new LockException(
                    "HF0206: " + ends + ": its maxHold is " + maxHold.get().toMillis() + " ms");
        }
        String failure = heldLock.lastFailure();
        return new LockException(
                "HF0207: " + ends + " and could not be renewed" + (failure == null ? "" : ": " + failure));
    }

    public static LockException clockSkewed(LockRequest request) {
        return new LockException(
                "HF0205: lock '" + request.name() + "' is refused: this machine's wall clock differs from those of"
                        + " a majority of nodes by more than half of the fence retention; set it right");
    }

    /** A lease was granted, and the application did not fetch it. */
    static LockException undelivered(LockRequest request) {
        return blocked(request, "was granted and released again");
    }

    /**
     * Reports that an asynchronous request did not ask for its lock: it could not have delivered that to the
     * application.
     */
    static LockException blocked(LockRequest request) {
        return blocked(request, "was not asked for");
    }

    private static LockException blocked(LockRequest request, String whatWasDone) {
        int threads = Callbacks.Lane.LEASES.most();
        return new LockException("HF0217: lock '" + request.name() + "' " + whatWasDone
                + ": no thread was free in time to continue its future,"
                + " because " + threads + " futures are being continued by code that has not returned."
                + " Continuations must not block: let them begin another asynchronous stage, or pass an executor of"
                + " your own to thenAcceptAsync");
    }
}
