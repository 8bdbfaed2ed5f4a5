// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.DistributedLatch;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.latch.Waiters.Waiter;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.queue.Patience;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.protocol.quorum.Timing;

/**
 * Counts latches down, and waits for them.
 *
 * <p>Of the callers of this process that wait for the same latch, the first one asks the nodes, and wakes the others
 * when it is open. It asks when a node publishes that a call was recorded, and once a second at least. It also brings
 * calls that a node has lost back to it. Safe for use by any number of threads.
 */
public final class Latches {

    /**
     * How long nodes keep a latch after its last use: longer than the retention of tokens, since its calls are far
     * apart.
     */
    static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(1);

    /** How often the nodes are asked at the most, whatever is published. */
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** How often they are asked where nothing is published, or it is not received. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    /** And where it is received, if a publication was lost. */
    private static final long HEARD_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Time time;
    private final Randomness randomness;
    private final Timing timing;
    private final Nodes nodes;
    private final ReleaseNotifications notifications;
    private final StopFlag stopFlag;

    private final Waiters waiters = new Waiters();

    /** @param nodes those through which waiters ask: a call is not bound to a connection of its caller */
    public Latches(
            Time time,
            Randomness randomness,
            Timing timing,
            Nodes nodes,
            ReleaseNotifications notifications,
            StopFlag stopFlag) {
        this.time = time;
        this.randomness = randomness;
        this.timing = timing;
        this.nodes = nodes;
        this.notifications = notifications;
        this.stopFlag = stopFlag;
    }

    /** @param patience for how long a call is sent again that is not confirmed */
    public DistributedLatch open(Latch latch, Duration patience, LatchCaller caller) {
        caller.requireOpen();
        return new LatchHandle(this, latch, patience, caller);
    }

    String newId() {
        return HexFormat.of().formatHex(randomness.uniqueId());
    }

    /** Counts down, and sends that again with the same id until a majority has confirmed it. */
    void countDown(Latch latch, String id, Duration timeout, LatchCaller caller) {
        stopFlag.requireOpen();
        Patience patience = new Patience(time, timeout);
        boolean perhaps = false;
        while (true) {
            Count count = use(latch, Set.of(id), Set.of(), Long.MAX_VALUE / 4, true);
            if (count.isConfirmed()) {
                return;
            }
            count.requireAgreement();
            perhaps |= count.isPerhapsRecorded();
            if (!isPauseOver(patience, caller)) {
                throw perhaps
                        ? new CountDownUnconfirmedException(
                                latch.describe(), id, count.failures(nodes).toString())
                        : count.unavailable(nodes, patience.waited());
            }
        }
    }

    /** Returns false if there is no more time, or the caller has ended: a thread that is interrupted stays so. */
    private boolean isPauseOver(Patience patience, LatchCaller caller) {
        long left = patience.left();
        if (left <= 0 || stopFlag.isRaised()) {
            return false;
        }
        caller.beforeWait();
        try {
            time.newSignal().await(Math.min(left, pause(PAUSE_NANOS)));
            return caller.isOpen() && !stopFlag.isRaised();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** At least half of it, so that processes do not ask in step. */
    private long pause(long nanos) {
        return nanos / 2 + randomness.below(nanos / 2 + 1);
    }

    /**
     * Has nodes record calls, and reads what they have recorded.
     *
     * @param seen what nodes are known to have recorded
     * @param mostNanos how long to wait for answers, if that is less than the node timeout
     * @param confirmed whether a majority is enough; else all nodes are waited for, unless the latch is seen to be open
     */
    private Count use(Latch latch, Set<String> ids, Set<String> seen, long mostNanos, boolean confirmed) {
        nodes.prepare();
        Command.UseLatch command = new Command.UseLatch(latch, ids, KEPT_MILLIS);
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        long deadline =
                time.nanoTime() + Math.min(mostNanos, timing.nodeTimeout().toNanos());
        Count count = new Count(command, nodes.count(), seen);
        Answer answer;
        while (!(confirmed ? count.isConfirmed() : count.isOpen()) && (answer = round.next(deadline)) != null) {
            count.count(answer);
        }
        round.leave(late -> {});
        return count;
    }

    /** Waits until the latch is open; false if the time is over before. */
    boolean await(Latch latch, Duration timeout, LatchCaller caller) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        stopFlag.requireOpen();
        Patience patience = new Patience(time, timeout);
        Count first = use(latch, Set.of(), Set.of(), Long.MAX_VALUE / 4, false);
        first.requireAgreement();
        if (first.isOpen() || !patience.mayWait()) {
            return isOpen(first, patience);
        }
        caller.beforeWait();
        notifications.subscribe(latch.name());
        try {
            return await(latch, first, patience, caller);
        } finally {
            notifications.unsubscribe(latch.name());
        }
    }

    private boolean await(Latch latch, Count first, Patience patience, LatchCaller caller) throws InterruptedException {
        Waiter waiter = waiters.enter(latch, time.newSignal(), first);
        try {
            caller.enter(waiter.signal());
            return await(waiter, patience, caller);
        } finally {
            waiters.leave(waiter);
            caller.leave(waiter.signal());
        }
    }

    private boolean await(Waiter waiter, Patience patience, LatchCaller caller) throws InterruptedException {
        while (true) {
            stopFlag.requireOpen();
            caller.requireOpen();
            Count found = waiter.found();
            long left = patience.left();
            if (found.isOpen() || left <= 0) {
                return isOpen(found, patience);
            }
            if (waiter.isFirst()) {
                ask(waiter, patience, left);
            } else {
                waiter.signal().await(left);
            }
        }
    }

    private void ask(Waiter waiter, Patience patience, long left) throws InterruptedException {
        long asked = time.nanoTime();
        Count before = waiter.found();
        Count found = use(waiter.latch(), before.unevenlyKnown(), before.seen(), left, false);
        found.requireAgreement();
        boolean cutShort = found.isUndecided() && left < timing.nodeTimeout().toNanos();
        if (!cutShort) { // a round that had no time to learn anything does not change what is known
            waiters.publish(waiter.latch(), found);
        }
        if (!found.isOpen()) {
            waitToAskAgain(waiter, asked, patience);
        }
    }

    private void waitToAskAgain(Waiter waiter, long asked, Patience patience) throws InterruptedException {
        boolean isHeard = notifications.isSubscribed(waiter.latch().name());
        long pause = pause(isHeard ? HEARD_PAUSE_NANOS : PAUSE_NANOS);
        if (waiter.signal().await(Math.min(Math.max(patience.left(), 0), pause))) {
            long early = LEAST_PAUSE_NANOS - (time.nanoTime() - asked);
            if (early > 0) {
                time.newSignal().await(Math.min(Math.max(patience.left(), 0), early));
            }
        }
    }

    /** An outage is not reported as a latch that is not open. */
    private boolean isOpen(Count found, Patience patience) {
        if (!found.isConfirmed()) {
            throw found.unavailable(nodes, patience.waited());
        }
        return found.isOpen();
    }

    /** Has the first waiters for the latches of a name ask: a call was recorded. */
    public void wake(String name) {
        waiters.wake(name);
    }

    /** Wakes all waiters: the service is stopped. */
    public void wakeAll() {
        waiters.wakeAll();
    }

    /** Returns for how many names callers wait. */
    public int size() {
        return waiters.size();
    }
}
