// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.Release;
import org.holdfast.ReleaseResult;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.quorum.BatchSize;
import org.holdfast.protocol.quorum.Redlock;
import org.holdfast.protocol.quorum.UnawaitedRelease;

/** Releases locks of this process on the nodes. Safe for use by any number of threads. */
public final class Releases {

    private final Time time;
    private final Redlock redlock;
    private final HeldLocks heldLocks;
    private final ReleaseListener whenReleased;
    private final Counters counters;

    /** By name, those under way that no caller waits for. */
    private final ConcurrentHashMap<String, List<UnawaitedRelease>> unawaited = new ConcurrentHashMap<>();

    /** How long the names of these are, together. */
    private final AtomicLong unawaitedCharacters = new AtomicLong();

    /** Receives what was released on the nodes. Must not block. */
    public interface ReleaseListener {

        /**
         * @param token the first one of the claim
         * @param heldNanos for how long this process has had the lock, one holder after the other; 0 if others may
         *     have had it at the same time
         * @param listeners how many connections a node has notified, at the most
         */
        void released(String lock, long token, long heldNanos, long listeners);
    }

    public Releases(Time time, Redlock redlock, HeldLocks heldLocks, ReleaseListener whenReleased, Counters counters) {
        this.time = time;
        this.redlock = redlock;
        this.heldLocks = heldLocks;
        this.whenReleased = whenReleased;
        this.counters = counters;
    }

    /** Releases a lock, as its holder has asked for: waits for the nodes or not. */
    ReleaseResult release(HeldLock heldLock, Nodes nodes) {
        try {
            return isLeftToNodes(heldLock) ? send(heldLock, nodes) : releaseNow(heldLock, nodes);
        } catch (RuntimeException | Error e) {
            giveUp(heldLock, e);
            throw e;
        }
    }

    /**
     * While callers of this process wait, the answers say whether other processes do, and whose turn it is. And what is
     * under way must fit what the nodes take: when it is much the caller waits after all.
     */
    private boolean isLeftToNodes(HeldLock heldLock) {
        return heldLock.terms().release() == Release.ASYNC
                && unawaitedCharacters.get() < BatchSize.MOST_CHARACTERS
                && heldLock.keptNanos(time.nanoTime()) == 0
                && !heldLocks.isWaitedFor(heldLock);
    }

    private ReleaseResult send(HeldLock heldLock, Nodes nodes) {
        long begun = time.nanoTime();
        Claim claim = heldLock.claim();
        List<String> names = claim.target().names();
        long characters = BatchSize.characters(claim);
        UnawaitedRelease release = redlock.unawaitedRelease(nodes, claim, (self, freed) -> {
            unawaitedCharacters.addAndGet(-characters);
            forget(names, self);
            report(heldLock, begun, freed);
        });
        unawaitedCharacters.addAndGet(characters);
        boolean sent = false;
        try {
            names.forEach(name -> unawaited.merge(name, List.of(release), Releases::joined)); // before its answers come
            counters.released.incrementAndGet();
            release.send(nodes);
            sent = true;
        } finally {
            if (!sent) {
                unawaitedCharacters.addAndGet(-characters);
                forget(names, release);
            }
        }
        heldLocks.remove(heldLock);
        return wasHeld(heldLock, begun) ? ReleaseResult.UNCONFIRMED : ReleaseResult.NOT_HELD;
    }

    private static List<UnawaitedRelease> joined(List<UnawaitedRelease> some, List<UnawaitedRelease> others) {
        List<UnawaitedRelease> all = new ArrayList<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    private void forget(List<String> names, UnawaitedRelease release) {
        for (String name : names) {
            unawaited.computeIfPresent(name, (key, all) -> {
                List<UnawaitedRelease> left =
                        all.stream().filter(each -> each != release).toList();
                return left.isEmpty() ? null : left;
            });
        }
    }

    /**
     * Waits for releases of these names that no caller waits for: as after any other release, the lock is free by then,
     * and it is known whether other processes wait for it, and go first.
     */
    void awaitUnawaited(List<String> names) {
        if (unawaited.isEmpty()) {
            return;
        }
        for (String name : names) {
            unawaited.getOrDefault(name, List.of()).forEach(UnawaitedRelease::await);
        }
    }

    /** Returns how many names have releases under way that no caller waits for. */
    public int unawaited() {
        return unawaited.size();
    }

    private void report(HeldLock heldLock, long begun, Redlock.Freed freed) {
        long heldNanos = heldLock.isAlone() ? begun - heldLock.cohort().since() : 0;
        whenReleased.released(heldLock.lock(), heldLock.claim().token(), heldNanos, freed.listeners());
    }

    /** Releases locks, a batch at once; returns the results, in no order where they are several. */
    List<ReleaseResult> release(List<HeldLock> all, Nodes nodes) {
        return release(all, nodes, time.nanoTime() + Long.MAX_VALUE / 4);
    }

    /** As lists of one do, which would be much of what a release allocates. */
    private ReleaseResult releaseNow(HeldLock heldLock, Nodes nodes) {
        long begun = time.nanoTime();
        if (heldLock.keptNanos(begun) > 0) {
            return release(List.of(heldLock), nodes).get(0);
        }
        Command.Release command = Command.Release.ofLease(heldLock.claim());
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        Sent sent = new Sent(round, begun, time.nanoTime());
        return finish(heldLock, nodes, command, sent, begun + Long.MAX_VALUE / 4);
    }

    /**
     * A release has failed in this process, perhaps before a node has received it: it is sent later. A lock that stayed
     * on the books as released would keep the waiters of this process out: it is removed though the rest may fail as
     * well, as it does where there is no memory.
     */
    void giveUp(HeldLock heldLock, Throwable failure) {
        try {
            boolean known = heldLocks.of(heldLock.lock()).contains(heldLock); // else it was released before the failure
            boolean kept = heldLock.keptNanos(time.nanoTime()) > 0;
            if (known && !kept) {
                redlock.abandon(heldLock.claim());
            }
        } catch (RuntimeException | Error e) {
            suppress(failure, e);
        } finally {
            heldLocks.drop(heldLock);
        }
    }

    static void suppress(Throwable failure, Throwable another) {
        try {
            if (another != failure) { // of no memory the JVM has one error for all
                failure.addSuppressed(another);
            }
        } catch (OutOfMemoryError e) {
            // the first failure is thrown
        }
    }

    private List<ReleaseResult> release(List<HeldLock> all, Nodes nodes, long until) {
        try {
            return releaseEach(all, nodes, until);
        } catch (RuntimeException | Error e) {
            for (int i = 0; i < all.size(); i++) { // not by a function: that would need memory
                giveUp(all.get(i), e);
            }
            throw e;
        }
    }

    private List<ReleaseResult> releaseEach(List<HeldLock> all, Nodes nodes, long until) {
        long begun = time.nanoTime();
        List<HeldLock> given = new ArrayList<>(all.size());
        List<ReleaseResult> results = new ArrayList<>(all.size());
        for (HeldLock heldLock : all) {
            long kept = heldLock.keptNanos(begun);
            if (kept > 0) {
                results.add(letExpire(heldLock, nodes, kept, begun, until));
            } else {
                given.add(heldLock);
            }
        }
        for (int from = 0; from < given.size(); ) {
            int to = endOfBatch(given, from);
            releaseAtOnce(given.subList(from, to), nodes, until, results);
            from = to;
        }
        return results;
    }

    private static int endOfBatch(List<HeldLock> given, int from) {
        BatchSize size = new BatchSize();
        int to = from;
        while (to < given.size() && !size.isFull()) {
            size.add(given.get(to).claim());
            to++;
        }
        return to;
    }

    private void releaseAtOnce(List<HeldLock> given, Nodes nodes, long until, List<ReleaseResult> results) {
        long begun = time.nanoTime();
        List<Command.Release> commands = new ArrayList<>(given.size());
        for (HeldLock heldLock : given) {
            commands.add(Command.Release.ofLease(heldLock.claim()));
        }
        List<Round> rounds = redlock.startReleases(nodes, commands);
        long at = time.nanoTime();
        for (int i = 0; i < given.size(); i++) {
            results.add(finish(given.get(i), nodes, commands.get(i), new Sent(rounds.get(i), begun, at), until));
        }
    }

    /**
     * A release that was sent.
     *
     * @param begun before it was sent
     * @param at when it had been: that takes long where connections have to be opened first
     */
    private record Sent(Round round, long begun, long at) {}

    /** Waits for the answers to a release that was sent. */
    private ReleaseResult finish(HeldLock heldLock, Nodes nodes, Command.Release command, Sent sent, long until) {
        counters.released.incrementAndGet();
        Redlock.Freed freed = redlock.finishRelease(nodes, command, sent.round(), sent.at(), until);
        report(heldLock, sent.begun(), freed);
        heldLocks.remove(heldLock);
        return wasHeld(heldLock, sent.begun()) ? freed.result() : ReleaseResult.NOT_HELD;
    }

    /**
     * A node keeps the key of a lock for longer than its lease lasts: what counts is our clock, when the release was
     * sent.
     */
    private static boolean wasHeld(HeldLock heldLock, long begun) {
        return begun - heldLock.validUntil() < 0;
    }

    /** The request had a minimum hold time: the nodes keep the lock for the rest of it, without this process. */
    private ReleaseResult letExpire(HeldLock heldLock, Nodes nodes, long keptNanos, long begun, long until) {
        long millis = TimeUnit.NANOSECONDS.toMillis(keptNanos) + 1;
        counters.released.incrementAndGet();
        ReleaseResult result = redlock.letExpire(nodes, heldLock.claim(), millis, until);
        heldLocks.remove(heldLock);
        return wasHeld(heldLock, begun) ? result : ReleaseResult.NOT_HELD;
    }

    /**
     * Releases all that this process holds.
     *
     * @param deadline when to stop; what is not released by then ends with its TTL
     */
    void releaseAll(Nodes nodes, long deadline) {
        Iterator<HeldLock> all = heldLocks.all().iterator();
        while (all.hasNext() && time.nanoTime() - deadline < 0) {
            List<HeldLock> batch = new ArrayList<>();
            BatchSize size = new BatchSize();
            while (all.hasNext() && !size.isFull()) {
                HeldLock heldLock = all.next();
                if (heldLock.giveBackAll()) {
                    batch.add(heldLock);
                    size.add(heldLock.claim());
                }
            }
            release(batch, nodes, deadline);
        }
    }
}
