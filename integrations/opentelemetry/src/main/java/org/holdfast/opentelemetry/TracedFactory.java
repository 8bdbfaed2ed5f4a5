// SPDX-License-Identifier: Apache-2.0
package org.holdfast.opentelemetry;

import java.util.List;
import org.holdfast.CheckReport;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockRequest;
import org.holdfast.LockState;

/** Gives connections that make spans. What operators do makes none. */
record TracedFactory(LockConnectionFactory locks, Tracing tracing) implements LockConnectionFactory {

    @Override
    public LockConnection getConnection() {
        return new TracedConnection(locks.getConnection(), tracing);
    }

    @Override
    public void validate(LockRequest request) {
        locks.validate(request);
    }

    @Override
    public int nodeCount() {
        return locks.nodeCount();
    }

    @Override
    public CheckReport check() {
        return locks.check();
    }

    @Override
    public CheckReport status() {
        return locks.status();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        return locks.holders(request);
    }

    @Override
    public LockListing locks(int limit) {
        return locks.locks(limit);
    }

    @Override
    public LockState state(LockRequest request) {
        return locks.state(request);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        return locks.forceRelease(request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        return locks.forceRelease(request, token, reason);
    }

    @Override
    public void close() {
        try {
            locks.close();
        } finally {
            tracing.endReleased();
        }
    }
}
