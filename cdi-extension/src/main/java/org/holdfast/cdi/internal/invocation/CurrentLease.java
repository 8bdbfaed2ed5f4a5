// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.ReleaseResult;

/**
 * The lease of the innermost locked method that the calling thread is in: what is injected. It is not the method's to
 * release.
 */
public final class CurrentLease implements Lease {

    private final CurrentLeases leases;

    public CurrentLease(CurrentLeases leases) {
        this.leases = leases;
    }

    @Override
    public String name() {
        return leases.current().name();
    }

    @Override
    public List<String> names() {
        return leases.current().names();
    }

    @Override
    public long token() {
        return leases.current().token();
    }

    @Override
    public boolean isHeld() {
        return leases.current().isHeld();
    }

    @Override
    public Duration remaining() {
        return leases.current().remaining();
    }

    @Override
    public void requireHeld() {
        leases.current().requireHeld();
    }

    @Override
    public boolean renew() {
        return leases.current().renew();
    }

    @Override
    public boolean joinTransaction() {
        return leases.current().joinTransaction();
    }

    @Override
    public void onLost(Consumer<LeaseLoss> listener) {
        leases.current().onLost(listener);
    }

    @Override
    public ReleaseResult release() {
        throw new UnsupportedOperationException("an injected lease is released when its method has ended");
    }

    @Override
    public String toString() {
        return leases.current().toString();
    }
}
