// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.ReleaseResult;

/** A lease whose release ends its span. */
final class TracedLease implements Lease {

    private final Lease lease;
    private final HoldSpan span;
    private final Runnable whenReleased;

    /** @param whenReleased is called after each release */
    TracedLease(Lease lease, HoldSpan span, Runnable whenReleased) {
        this.lease = lease;
        this.span = span;
        this.whenReleased = whenReleased;
    }

    @Override
    public String name() {
        return lease.name();
    }

    @Override
    public List<String> names() {
        return lease.names();
    }

    @Override
    public long token() {
        return lease.token();
    }

    @Override
    public boolean isHeld() {
        return lease.isHeld();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void requireHeld() {
        lease.requireHeld();
    }

    @Override
    public boolean renew() {
        return lease.renew();
    }

    @Override
    public boolean joinTransaction() {
        return lease.joinTransaction();
    }

    @Override
    public void onLost(Consumer<LeaseLoss> listener) {
        lease.onLost(listener);
    }

    @Override
    public ReleaseResult release() {
        ReleaseResult result = lease.release();
        span.released(result);
        whenReleased.run();
        return result;
    }

    @Override
    public String toString() {
        return lease.toString();
    }
}
