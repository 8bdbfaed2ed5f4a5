// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.holdfast.CheckReport;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.protocol.env.Closed;
import org.holdfast.protocol.session.LockAdmin;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.Waiting;

/**
 * What operators do with the locks of one lock service, whichever way they come: through a factory, through JMX, or
 * from a tool.
 *
 * <p>Uses the connections of the service itself: a pool that is exhausted must not keep an operator out. Safe for use
 * by any number of threads.
 */
public final class Operations {

    /** For so long the keys of one node are walked over at the most. */
    private static final Duration LONGEST_WALK = Duration.ofSeconds(10);

    private final BooleanSupplier isOpen;
    private final Supplier<CheckReport> check;
    private final LockAdmin admin;
    private final LockNodes nodes;
    private final NodeChannel connections;

    /**
     * @param isOpen whether the service has not been closed
     * @param check looks at every node
     * @param connections of the service itself
     */
    public Operations(
            BooleanSupplier isOpen,
            Supplier<CheckReport> check,
            LockAdmin admin,
            LockNodes nodes,
            NodeChannel connections) {
        this.isOpen = isOpen;
        this.check = check;
        this.admin = admin;
        this.nodes = nodes;
        this.connections = connections;
    }

    private void requireOpen() {
        if (!isOpen.getAsBoolean()) {
            throw Closed.factory();
        }
    }

    /** As {@link LockOperations#check()}. */
    public CheckReport check() {
        requireOpen();
        return check.get();
    }

    /** As {@link LockOperations#holders(LockRequest)}. */
    public List<LockHolder> holders(LockRequest request) {
        requireOpen();
        return admin.holders(connections, request);
    }

    /** As {@link LockOperations#forceRelease(LockRequest, String)}. */
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        requireOpen();
        return admin.forceRelease(connections, request, reason);
    }

    /** As {@link LockOperations#forceRelease(LockRequest, long, String)}. */
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        requireOpen();
        return admin.forceRelease(connections, request, token, reason);
    }

    /** As {@link LockOperations#state(LockRequest)}. */
    public LockState state(LockRequest request) {
        requireOpen();
        Waiting waiting = nodes.waiting(List.of(request.name())).get(0);
        return state(request, waiting);
    }

    private LockState state(LockRequest request, Waiting waiting) {
        return new LockState(request, admin.holders(connections, request), waiting.inLine(), waiting.listening());
    }

    /** As {@link LockOperations#locks(int)}. */
    public LockListing locks(int limit) {
        requireOpen();
        if (limit < 1 || limit > LockOperations.MAX_LISTED) {
            throw new IllegalArgumentException(
                    "the limit must be 1 to " + LockOperations.MAX_LISTED + ", was " + limit);
        }
        FoundLocks found = new FoundLocks(limit);
        nodes.find(found, LONGEST_WALK.toNanos());
        List<LockRequest> requests = found.requests();
        List<Waiting> waiting =
                nodes.waiting(requests.stream().map(LockRequest::name).toList());
        List<LockState> locks = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            LockState lock = state(requests.get(i), waiting.get(i));
            if (!lock.isIdle()) { // its key may outlast its lease
                locks.add(lock);
            }
        }
        return new LockListing(locks, found.isComplete());
    }
}
