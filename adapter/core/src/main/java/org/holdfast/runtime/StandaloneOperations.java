// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.List;
import org.holdfast.CheckReport;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.redis.health.NodeLogLimiters;
import org.holdfast.runtime.management.Operations;
import org.holdfast.runtime.scheduling.StandaloneScheduling;

/** What operators do, from a process that takes no lock and writes nothing on the nodes but a forced release. */
final class StandaloneOperations implements LockOperations {

    private final Settings settings;
    private final LockService service;
    private final Operations operations;

    StandaloneOperations(Settings settings) {
        SystemTime time = new SystemTime();
        this.settings = settings;
        this.service = new LockService(
                settings,
                settings.guardPolicy().observing(), // no birth marks
                Transactions.NONE,
                StandaloneScheduling.ofTheComponent(time),
                time,
                new NodeLogLimiters(time));
        this.operations = service.operations();
    }

    @Override
    public int nodeCount() {
        return settings.nodes().size();
    }

    @Override
    public CheckReport check() {
        return operations.check();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        return operations.holders(request);
    }

    @Override
    public LockListing locks(int limit) {
        return operations.locks(limit);
    }

    @Override
    public LockState state(LockRequest request) {
        return operations.state(request);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        return operations.forceRelease(request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        return operations.forceRelease(request, token, reason);
    }

    @Override
    public void close() {
        service.close();
    }
}
