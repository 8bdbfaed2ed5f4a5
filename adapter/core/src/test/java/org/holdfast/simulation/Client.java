// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.holdfast.DistributedLatch;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.NodeMonitor;
import org.holdfast.protocol.latch.LatchCaller;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.UnfinishedReleases;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.Transactions;

/** One process of the application: the real protocol, a heartbeat, and threads that do the application's work. */
final class Client {

    private static final long MILLI = 1_000_000L;
    private static final long HEARTBEAT = 40 * MILLI;
    private static final long LONGEST_SLEEP = 10_000 * MILLI;

    final World.Machine machine = new World.Machine();
    final Reach reach = new Reach();
    final SimulatedTime time;

    /** Where nodes are that fail over by themselves, or stay. Unused where they are clusters. */
    final Whereabouts whereabouts;

    private final World world;
    private final Network network;
    private final Checker checker;
    private final String name;
    private final Timing timing;
    private final boolean moves;
    private final Habits habits;
    private final Random random;
    private final UnfinishedReleases unfinished;
    private final LockEngine engine;
    private final Nodes service;
    private final View view;

    /** Empty where nodes are no clusters. */
    private final Optional<ClusterService> clusters;

    private final NodeMonitor nodeMonitor;
    private boolean started;
    private boolean idle;
    private boolean looking;
    private long nextSweep;

    Client(
            World world,
            Network network,
            Checker checker,
            String name,
            Habits habits,
            SimulatedTime time,
            Setting setting,
            List<SimulatedCluster> voters) {
        this.world = world;
        this.network = network;
        this.checker = checker;
        this.name = name;
        this.timing = setting.timing();
        this.moves = setting.isMoving();
        this.habits = habits;
        this.time = time;
        this.random = world.random;
        this.nextSweep = time.nanoTime();
        ClockMonitor clockMonitor = new ClockMonitor(setting.nodes(), network.settings());
        this.whereabouts = network.whereabouts(clockMonitor, time);
        this.view = new View(time, machine, clockMonitor, network.guards(clockMonitor, time), whereabouts, reach);
        this.clusters = setting.isClustered()
                ? Optional.of(new ClusterService(world, machine, network, voters, setting, time, reach))
                : Optional.empty();
        this.service = connect();
        ReleaseNotifications notifications = random.nextBoolean() ? ReleaseNotifications.NONE : notifications();
        this.unfinished = new UnfinishedReleases(time, setting.nodes(), this::sweepWithin);
        Executor threads = task -> world.spawn(machine, task); // never at once: the caller may have a map's lock
        this.engine = new LockEngine(
                new LockEngine.Environment(time, randomness(), Recorder.NONE, new ProcessInfo("simulated", 1)),
                timing,
                unfinished,
                new LockEngine.Connections(service, connect(), notifications),
                new LockEngine.Threads(threads, threads, this::sweepWithin));
        this.nodeMonitor = new NodeMonitor(
                time, view.clockMonitor, new SimulatedSight(world, network, view), engine::clockStoodStill);
        clusters.ifPresent(all -> all.onClockStoodStill(engine::clockStoodStill));
    }

    private ReleaseNotifications notifications() {
        return clusters.map(ClusterService::subscriber).orElseGet(() -> new SimulatedNotifications(network, view));
    }

    private Nodes connect() {
        return clusters.map(ClusterService::connect).orElseGet(() -> network.connect(view));
    }

    /**
     * As the real thread: it sleeps until the earliest moment that it was told, and forgets the others with each run.
     */
    private void sweepWithin(long nanos) {
        long moment = time.nanoTime() + nanos;
        nextSweep = moment - nextSweep < 0 ? moment : nextSweep;
    }

    private Randomness randomness() {
        return new Randomness() {
            @Override
            public byte[] uniqueId() {
                return ByteBuffer.allocate(20)
                        .putShort((short) 0)
                        .putLong(random.nextLong())
                        .putShort((short) 0)
                        .putLong(random.nextLong())
                        .array();
            }

            @Override
            public long below(long bound) {
                return (long) (random.nextDouble() * bound);
            }
        };
    }

    /** A new handle; requests say themselves how long they wait and last. */
    LockSession newSession() {
        return engine.newSession(
                engine.transactionLeases(Transactions.NONE),
                new LockSession.Defaults(Duration.ZERO, timing.maxLeaseTtl(), timing.maxLeaseTtl(), habits.release()));
    }

    /** Returns a latch, whose calls are sent again for so long if they are not confirmed. */
    DistributedLatch latch(Latch latch, Duration patience) {
        return engine.latches().open(latch, patience, new LatchCaller(() -> true, () -> {}));
    }

    private Worker newWorker() {
        return new Worker(world, checker, this, habits, connect());
    }

    /**
     * Begins to work.
     *
     * @param from when its threads ask for their first locks
     */
    void start(long from, long until) {
        started = true;
        checker.begun(name);
        world.spawn(machine, this::heartbeat);
        world.spawn(machine, this::lookOut);
        long located = world.now() + 2 * timing.nodeTimeout().toNanos();
        long first = clusters.isPresent() ? Math.max(from, located) : from;
        for (int thread = 0; thread < habits.threads(); thread++) {
            world.at(first, () -> world.spawn(machine, () -> newWorker().work(until)));
        }
    }

    /** Returns whether it has used all nodes, which are clusters. */
    boolean knowsClusters() {
        return clusters.filter(ClusterService::knowsAll).isPresent();
    }

    private void heartbeat() {
        World.Task me = world.current();
        world.after(HEARTBEAT, () -> tick(me));
        while (true) {
            idle = true;
            world.waitUntil(Long.MAX_VALUE);
            idle = false;
            nextSweep = time.nanoTime() + LONGEST_SLEEP;
            engine.renew();
            engine.sweep();
            unfinished.retry(service, time.nanoTime() + timing.nodeTimeout().toNanos());
        }
    }

    /** The thread need not wake up for what waits for no node. */
    private void tick(World.Task heartbeat) {
        boolean due = idle && time.nanoTime() - nextSweep >= 0;
        if (due && (EngineBridge.isDue(engine) || unfinished.size() > 0)) {
            world.wake(heartbeat);
        } else if (due && machine.pausedUntil <= world.now()) {
            nextSweep = time.nanoTime() + LONGEST_SLEEP;
            engine.renew(); // nothing now: it reports when that is due
            engine.sweep();
        }
        world.after(HEARTBEAT, () -> tick(heartbeat));
    }

    /** Has seen each node before any trouble begins; then looks when it is time to. */
    private void lookOut() {
        World.Task me = world.current();
        if (clusters.isPresent()) {
            clusters.get().locate();
            world.spawn(machine, clusters.get()::locateAgainAndAgain);
        } else if (moves) {
            whereabouts.ask();
            world.spawn(machine, whereabouts::askAgainAndAgain);
        }
        service.send(new Command.Inspect(List.of(new Target.Exclusive("none"))), NodeSet.first(service.count()));
        world.after(HEARTBEAT, () -> tickLookout(me));
        while (true) {
            looking = false;
            world.waitUntil(Long.MAX_VALUE);
            looking = true;
            clusters.ifPresentOrElse(ClusterService::look, nodeMonitor::look);
        }
    }

    private void tickLookout(World.Task task) {
        if (!looking && clusters.map(ClusterService::isDue).orElseGet(nodeMonitor::isDue)) {
            world.wake(task);
        }
        world.after(HEARTBEAT, () -> tickLookout(task));
    }

    /** An operator uses this process to take a lock away from its holders. */
    void forceRelease(LockRequest request, Suspensions suspensions, Runnable done) {
        if (!started) {
            done.run();
            return;
        }
        world.spawn(machine, () -> {
            suspensions.forcing(request.names());
            try {
                List<LockHolder> gone = engine.lockAdmin().forceRelease(connect(), request, "");
                suspensions.forced(
                        request.names(),
                        gone.stream().mapToLong(LockHolder::token).max().orElse(0));
            } catch (LockException e) {
                suspensions.forcedPerhaps(request.names());
            }
            done.run();
        });
    }

    /** Takes a lock and holds it until the moment; nothing goes wrong by which it may be lost. */
    void holdThrough(LockRequest request, long until) {
        world.spawn(machine, () -> newWorker().holdThrough(request, until));
    }

    /** One more thread asks for a lock without waiting for it. */
    void tryOnce() {
        if (started) {
            world.spawn(machine, () -> newWorker().tryOnce());
        }
    }

    /** Tries to take a lock after all faults have ended; it must succeed within so long. */
    void mustSucceed(LockRequest request, Duration within, Runnable done) {
        LockRequest complete = request.ttl(Habits.SHORT_TTL).waitTimeout(within);
        world.spawn(machine, () -> {
            newWorker().mustSucceed(complete);
            done.run();
        });
    }

    /** Has two threads lock in the same way all the time. */
    void keepBusy(Shape shape, BooleanSupplier goOn) {
        for (int thread = 0; thread < 2; thread++) {
            world.spawn(machine, () -> newWorker().keepBusy(shape, goOn));
        }
    }

    /** No caller holds or waits any more: nothing may be left of earlier ones. */
    void checkForgotten() {
        if (EngineBridge.remembered(engine) > 0) {
            throw new Violation("4: " + name + " remembers " + EngineBridge.remembered(engine)
                    + " things though nobody holds a lock or waits for one");
        }
    }

    /** Returns what it holds. */
    Set<HeldLock> held() {
        return EngineBridge.held(engine);
    }

    String name() {
        return name;
    }
}
