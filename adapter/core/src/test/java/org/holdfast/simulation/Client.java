// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.Random;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.protocol.Announcements;
import org.holdfast.protocol.Claim;
import org.holdfast.protocol.Clocks;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.LeaseManager;
import org.holdfast.protocol.LockSession;
import org.holdfast.protocol.Lookout;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Nodes;
import org.holdfast.protocol.Owner;
import org.holdfast.protocol.Randomness;
import org.holdfast.protocol.Redlock;
import org.holdfast.protocol.Renewals;
import org.holdfast.protocol.Target;
import org.holdfast.protocol.Timing;
import org.holdfast.protocol.TransactionLeases;
import org.holdfast.protocol.Transactions;
import org.holdfast.protocol.UnfinishedReleases;
import org.holdfast.protocol.Whereabouts;

/** One process of the application: the real protocol, a heartbeat, and threads that lock, work and release. */
final class Client {

    private static final long MILLI = 1_000_000L;
    private static final long HEARTBEAT = 20 * MILLI;

    final World.Machine machine = new World.Machine();
    final Network.View view;
    final SimulatedTime time;

    private final World world;
    private final Network network;
    private final Checker checker;
    private final String name;
    private final Timing timing;
    private final Random random;
    private final UnfinishedReleases unfinished;
    private final Renewals renewals;
    private final LeaseManager manager;
    private final Nodes service;
    private final Lookout lookout;
    private int leases;
    private boolean idle;
    private boolean looking;

    Client(World world, Network network, Checker checker, String name, Timing timing, SimulatedTime time, int nodes) {
        this.world = world;
        this.network = network;
        this.checker = checker;
        this.name = name;
        this.timing = timing;
        this.time = time;
        this.random = world.random;
        this.view = new Network.View(time, new Clocks(nodes, timing.driftFactor()));
        this.service = network.connect(view);
        Announcements announcements =
                random.nextBoolean() ? Announcements.NONE : new SimulatedAnnouncements(network, view);
        this.unfinished = new UnfinishedReleases(time, nodes);
        Redlock redlock = new Redlock(time, timing, unfinished);
        this.renewals = new Renewals(time, redlock);
        this.manager = new LeaseManager(
                time,
                randomness(),
                timing,
                redlock,
                renewals,
                service,
                Runnable::run,
                announcements,
                new Whereabouts("simulated", 1));
        this.lookout = new Lookout(time, view.clocks, network.new Sight(view), manager::clockStoodStill);
    }

    private Randomness randomness() {
        return new Randomness() {
            @Override
            public Owner newOwner() {
                return new Owner(String.format("%020x%020x", random.nextLong() >>> 1, random.nextLong() >>> 1));
            }

            @Override
            public long below(long bound) {
                return (long) (random.nextDouble() * bound);
            }
        };
    }

    private LockSession newSession(Duration ttl) {
        return new LockSession(
                manager,
                new TransactionLeases(manager, Transactions.NONE),
                new LockSession.Defaults(Duration.ZERO, ttl, timing.maxLeaseTtl()));
    }

    void start(int threads, int locks, long until) {
        world.spawn(machine, this::heartbeat);
        world.spawn(machine, this::lookOut);
        for (int thread = 0; thread < threads; thread++) {
            world.spawn(machine, () -> work(locks, until));
        }
    }

    private void heartbeat() {
        World.Task me = world.current();
        world.after(HEARTBEAT, () -> tick(me));
        while (true) {
            idle = true;
            world.waitUntil(Long.MAX_VALUE);
            idle = false;
            renewals.sweep(service);
            unfinished.retry(service, time.nanoTime() + timing.nodeTimeout().toNanos());
        }
    }

    /** Nothing to renew and nothing to tell: the thread need not wake up for that. */
    private void tick(World.Task heartbeat) {
        if (idle && (leases > 0 || unfinished.size() > 0)) {
            world.wake(heartbeat);
        }
        world.after(HEARTBEAT, () -> tick(heartbeat));
    }

    /** Has seen each node before any trouble begins; then looks when it is time to. */
    private void lookOut() {
        World.Task me = world.current();
        service.send(
                new Command.Release(
                        new Claim(new Target.Alone("none"), randomness().newOwner(), 0, 1, 1), false),
                NodeSet.first(service.count()));
        world.after(HEARTBEAT, () -> tickLookout(me));
        while (true) {
            looking = false;
            world.waitUntil(Long.MAX_VALUE);
            looking = true;
            lookout.look();
        }
    }

    private void tickLookout(World.Task task) {
        if (!looking && lookout.isDue()) {
            world.wake(task);
        }
        world.after(HEARTBEAT, () -> tickLookout(task));
    }

    private void sleep(long nanos) {
        world.waitUntil(world.now() + nanos);
    }

    private long random(long most) {
        return (long) (random.nextDouble() * most);
    }

    private void work(int locks, long until) {
        Nodes nodes = network.connect(view);
        while (world.now() < until) {
            sleep(random(40 * MILLI));
            Duration ttl = Duration.ofMillis(100 + random.nextInt(900));
            LockRequest request = LockRequest.of("lock-" + random.nextInt(locks))
                    .ttl(ttl)
                    .waitTimeout(Duration.ofMillis(random.nextInt(3) * 300L))
                    .renewal(random.nextInt(4) > 0)
                    .scope(random.nextBoolean() ? LeaseScope.DETACHED : LeaseScope.HOLDER);
            lockAndWork(nodes, newSession(ttl), request);
        }
    }

    private void lockAndWork(Nodes nodes, LockSession session, LockRequest request) {
        long asked = world.now();
        Lease lease;
        try {
            lease = session.tryAcquire(nodes, request).orElse(null);
        } catch (LockException e) {
            return; // too few nodes, for now
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (lease == null) {
            return;
        }
        Checker.Watched watched = checker.acquired(name, lease, asked);
        leases++;
        int steps = random.nextInt(6);
        boolean held = true;
        for (int step = 0; step < steps && held; step++) {
            sleep(random(150 * MILLI));
            held = checker.looked(watched);
        }
        if (!held) { // lost is lost: another look must say the same
            sleep(random(200 * MILLI));
            checker.looked(watched);
        }
        checker.ended(watched, !held && request.renewal());
        lease.release();
        leases--;
    }

    /** Tries to take a lock after all faults have ended; it must succeed within so long. */
    void mustSucceed(String lock, Duration within) {
        world.spawn(machine, () -> {
            Nodes nodes = network.connect(view);
            LockRequest request =
                    LockRequest.of(lock).ttl(Duration.ofMillis(500)).waitTimeout(within);
            try {
                long asked = world.now();
                Lease lease = newSession(Duration.ofMillis(500)).acquire(nodes, request);
                checker.ended(checker.acquired(name, lease, asked), false);
                lease.release();
            } catch (LockException | InterruptedException e) {
                throw new Violation(
                        "4: " + name + " does not get '" + lock + "' though all faults have ended: " + e.getMessage());
            }
        });
    }

    int unfinished() {
        return unfinished.size();
    }
}
