// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;

/**
 * What operators do: they see the holders of a lock, in whichever process, and take it away.
 *
 * <p>What nodes report of holders is shown and not relied upon. Safe for use by any number of threads.
 */
public final class LockAdmin {

    private static final String ANOTHER = "another holder";

    private final Time time;
    private final HeldLocks heldLocks;
    private final Nodes ownNodes;
    private final HolderSurvey survey;
    private final ForcedReleases forcedReleases;

    /** @param ownNodes through which a holder is asked for where the caller has none any more */
    public LockAdmin(
            Time time,
            Timing timing,
            TokenClock tokens,
            HeldLocks heldLocks,
            ProcessInfo processInfo,
            StopFlag stopFlag,
            Nodes ownNodes) {
        this.time = time;
        this.heldLocks = heldLocks;
        this.ownNodes = ownNodes;
        this.survey = new HolderSurvey(time, timing, tokens, heldLocks, stopFlag);
        this.forcedReleases =
                new ForcedReleases(time, timing, tokens, heldLocks, survey, new ReleaseAudit(processInfo));
    }

    /** As {@link org.holdfast.LockOperations#holders(LockRequest)}. */
    public List<LockHolder> holders(Nodes nodes, LockRequest request) {
        return look(nodes, request).holders();
    }

    /**
     * As {@link #holders}, of each of several locks, all of which are asked about in one go. Nothing for a lock whose
     * keys another client has written in a way that nodes do not understand.
     */
    public List<Optional<List<LockHolder>>> holdersOfEach(Nodes nodes, List<LockRequest> requests) {
        return survey.lookAtEach(nodes, requests);
    }

    private HolderSurvey.Result look(Nodes nodes, LockRequest request) {
        List<Target> locks = LockShape.targets(request);
        return survey.ask(nodes, request, locks, new Command.Inspect(locks));
    }

    /**
     * As {@link org.holdfast.LeaseLock#isLocked()}. A holder that a minority reports does not have the lock, unless
     * enough nodes have not answered that the rest of its majority may be among these.
     */
    public boolean isLocked(Nodes nodes, LockRequest request) {
        if (isHeldHere(request)) {
            return true;
        }
        HolderSurvey.Result seen = look(nodes, request);
        int silent = nodes.count() - seen.lastTokens().size();
        int quorum = nodes.count() / 2 + 1;
        return seen.holders().stream().anyMatch(holder -> holder.nodeCount() + silent >= quorum);
    }

    private boolean isHeldHere(LockRequest request) {
        long now = time.nanoTime();
        return request.names().stream()
                .flatMap(name -> heldLocks.of(name).stream())
                .anyMatch(heldLock -> heldLock.claim().target().isAmong(request.permits()) && heldLock.isHeld(now));
    }

    /** Returns how many holders a majority of the nodes knows. */
    public int countHolders(LockRequest request) {
        return (int) holders(ownNodes, request).stream().filter(this::isReal).count();
    }

    /** A holder that a minority reports is just asking, or has released or lost the lock. */
    private boolean isReal(LockHolder holder) {
        return holder.nodeCount() >= ownNodes.count() / 2 + 1;
    }

    /**
     * Describes the holder that a caller has waited for in vain, as far as the nodes know one now. Takes a node timeout
     * at the most.
     */
    public String describeHolder(LockRequest request) {
        List<LockHolder> holders;
        try {
            holders = holders(ownNodes, request);
        } catch (RuntimeException e) { // the caller is to receive that it timed out
            return ANOTHER;
        }
        List<LockHolder> real = holders.stream()
                .filter(each -> isReal(each) && !each.host().equals(LockHolder.UNKNOWN))
                .toList();
        return real.isEmpty()
                ? ANOTHER
                : ReleaseAudit.describeOwner(real.get(0)) + (real.size() > 1 ? ", and others" : "");
    }

    /** As {@link org.holdfast.LockOperations#forceRelease(LockRequest, String)}. */
    public List<LockHolder> forceRelease(Nodes nodes, LockRequest request, String reason) {
        return forcedReleases.release(nodes, request, OptionalLong.empty(), reason);
    }

    /** As {@link org.holdfast.LockOperations#forceRelease(LockRequest, long, String)}. */
    public List<LockHolder> forceRelease(Nodes nodes, LockRequest request, long token, String reason) {
        if (token <= 0) {
            throw new IllegalArgumentException("the token of a holder is more than 0, was " + token);
        }
        return forcedReleases.release(nodes, request, OptionalLong.of(token), reason);
    }
}
