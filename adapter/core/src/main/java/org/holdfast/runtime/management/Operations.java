// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.holdfast.CheckReport;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.admin.LockAdmin;
import org.holdfast.protocol.env.Closed;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.MissingPermissions;
import org.holdfast.redis.survey.Waiting;

/**
 * What operators do with the locks of one lock service, whichever way they come: through a factory, through JMX, or
 * from a tool.
 *
 * <p>Uses the connections of the service itself: a pool that is exhausted must not keep an operator out. Safe for use
 * by any number of threads.
 */
public final class Operations {

    /** For so long the keys of one node are walked over at the most, and the locks found are asked about. */
    private static final Duration LONGEST_WALK = Duration.ofSeconds(10);

    /** So many locks are looked for at the least: many keys may have outlasted their leases. */
    private static final int MANY = 1_000;

    /** So many times as many locks are looked for as are wanted. */
    private static final int SPARE = 4;

    /** So many locks are asked about in one go: a slow node costs its time once for all of them. */
    private static final int BATCH = 50;

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
        return look(request, () -> admin.holders(connections, request));
    }

    /**
     * Asks about holders. Where only a permission is missing, that is what is reported, unless it was a release that
     * may have been done.
     */
    private <T> T look(LockRequest request, Supplier<T> question) {
        try {
            return question.get();
        } catch (QuorumUnavailableException e) {
            if (e.isPerhapsReleased()) {
                throw e;
            }
            throw MissingPermissions.explain("the holders of '" + request.name() + "'", connections.count(), e);
        }
    }

    /** As {@link LockOperations#forceRelease(LockRequest, String)}. */
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        requireOpen();
        return look(request, () -> admin.forceRelease(connections, request, reason));
    }

    /** As {@link LockOperations#forceRelease(LockRequest, long, String)}. */
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        requireOpen();
        return look(request, () -> admin.forceRelease(connections, request, token, reason));
    }

    /** As {@link LockOperations#state(LockRequest)}. */
    public LockState state(LockRequest request) {
        requireOpen();
        Waiting waiting = nodes.waiting(List.of(request.name())).get(0);
        return state(request, holders(request), waiting);
    }

    /** The line of a name is that of its lock: callers of a semaphore do not wait in line. */
    private static LockState state(LockRequest request, List<LockHolder> holders, Waiting waiting) {
        int inLine = request.permits() == 0 ? waiting.inLine() : 0;
        return new LockState(request, holders, inLine, waiting.listening());
    }

    /** As {@link LockOperations#locks(int)}. */
    public LockListing locks(int limit) {
        requireOpen();
        if (limit < 1 || limit > LockOperations.MAX_LISTED) {
            throw new IllegalArgumentException(
                    "the limit must be 1 to " + LockOperations.MAX_LISTED + ", was " + limit);
        }
        FoundLocks found = new FoundLocks(Math.min(LockOperations.MAX_LISTED, Math.max(MANY, SPARE * limit)));
        nodes.find(found, LONGEST_WALK.toNanos());
        return listing(found, limit);
    }

    /** Asks about one more than the limit, to know whether there are more. */
    private LockListing listing(FoundLocks found, int limit) {
        long begun = System.nanoTime();
        List<LockRequest> requests = found.requests();
        List<Waiting> waiting =
                nodes.waiting(requests.stream().map(LockRequest::name).toList());
        List<LockState> locks = new ArrayList<>();
        int unreadable = 0;
        int asked = 0;
        while (asked < requests.size() && locks.size() <= limit && System.nanoTime() - begun < LONGEST_WALK.toNanos()) {
            int end = Math.min(asked + BATCH, requests.size());
            List<LockRequest> some = requests.subList(asked, end);
            List<Optional<List<LockHolder>>> holders = look(some.get(0), () -> admin.holdersOfEach(connections, some));
            for (int i = asked; i < end; i++) {
                Optional<List<LockHolder>> known = holders.get(i - asked);
                if (known.isEmpty()) {
                    unreadable++;
                    continue;
                }
                LockState lock = state(requests.get(i), known.get(), waiting.get(i));
                if (!lock.isIdle()) { // its key may outlast its lease
                    locks.add(lock);
                }
            }
            asked = end;
        }
        boolean complete = found.isComplete() && asked == requests.size() && locks.size() <= limit;
        List<LockState> listed = locks.subList(0, Math.min(limit, locks.size()));
        return new LockListing(listed, complete, found.skipped() + unreadable);
    }
}
