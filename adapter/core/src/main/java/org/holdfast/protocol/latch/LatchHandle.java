// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.time.Duration;
import java.util.Objects;
import org.holdfast.DistributedLatch;
import org.holdfast.protocol.node.Latch;

/** A latch as one connection has it. Safe for use by any number of threads. */
final class LatchHandle implements DistributedLatch {

    private final Latches latches;
    private final Latch latch;
    private final Duration patience;
    private final LatchCaller caller;

    /** @param patience for how long a call is sent again that is not confirmed */
    LatchHandle(Latches latches, Latch latch, Duration patience, LatchCaller caller) {
        this.latches = latches;
        this.latch = latch;
        this.patience = patience;
        this.caller = caller;
    }

    @Override
    public String name() {
        return latch.name();
    }

    @Override
    public long generation() {
        return latch.generation();
    }

    @Override
    public int initialCount() {
        return latch.count();
    }

    @Override
    public void countDown() {
        caller.requireOpen();
        latches.countDown(latch, latches.newId(), patience, caller);
    }

    @Override
    public void countDown(String id) {
        caller.requireOpen();
        latches.countDown(latch, Latch.checkedId(Objects.requireNonNull(id, "id")), patience, caller);
    }

    @Override
    public boolean await(Duration timeout) throws InterruptedException {
        caller.requireOpen();
        return latches.await(latch, timeout, caller);
    }

    @Override
    public String toString() {
        return latch.describe() + " of " + latch.count();
    }
}
