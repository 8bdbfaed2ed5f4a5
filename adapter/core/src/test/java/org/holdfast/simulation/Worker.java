// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.session.LockSession;

/** A thread of the application: it locks, works and releases. */
final class Worker {

    private static final long MILLI = 1_000_000L;

    /** So long after its time of work is over a worker begins no other step of it. */
    private static final long REST = 300 * MILLI;

    private final World world;
    private final Checker checker;
    private final Client client;
    private final Habits habits;
    private final Nodes nodes;
    private final Random random;
    private long restFrom = Long.MAX_VALUE;

    /** @param nodes as this thread reaches them */
    Worker(World world, Checker checker, Client client, Habits habits, Nodes nodes) {
        this.world = world;
        this.checker = checker;
        this.client = client;
        this.habits = habits;
        this.nodes = nodes;
        this.random = world.random;
    }

    /** Locks in this way and that until the moment comes. */
    void work(long until) {
        restFrom = until + REST;
        while (world.now() < until) {
            sleep(40 * MILLI);
            Shape shape = habits.anyShape(random);
            LockRequest request = shape.request(random.nextInt(habits.locks()), habits.permits())
                    .ttl(habits.anyTtl(random))
                    .waitTimeout(Duration.ofMillis(random.nextInt(3) * habits.patienceMillis()));
            if (random.nextInt(4) == 0) {
                request = request.fixedTtl(request.ttl().orElseThrow());
            }
            if (shape == Shape.KEPT) {
                request = request.atLeast(request.ttl().orElseThrow());
            } else if (shape != Shape.DOWNGRADING && random.nextInt(8) == 0) {
                request = request.maxHold(Duration.ofMillis(100 + random.nextInt(500)));
            }
            boolean detached = shape != Shape.DOWNGRADING && random.nextBoolean();
            boolean async = detached && habits.async() && random.nextBoolean();
            lockAndWork(shape, request.scope(detached ? LeaseScope.DETACHED : LeaseScope.HOLDER), async);
        }
    }

    /** Asks for a lock without waiting for it, and works under it if it gets it. */
    void tryOnce() {
        restFrom = world.now() + REST;
        Shape shape = habits.anyShape(random);
        boolean detached = shape != Shape.DOWNGRADING;
        lockAndWork(
                shape,
                shape.request(random.nextInt(habits.locks()), habits.permits())
                        .ttl(habits.anyTtl(random))
                        .waitTimeout(Duration.ZERO)
                        .scope(detached ? LeaseScope.DETACHED : LeaseScope.HOLDER),
                false);
    }

    /** Locks in the same way all the time. */
    void keepBusy(Shape shape, BooleanSupplier goOn) {
        LockRequest request = shape.request(0, habits.permits())
                .ttl(Habits.SHORT_TTL)
                .waitTimeout(Duration.ofSeconds(1))
                .scope(LeaseScope.DETACHED);
        while (goOn.getAsBoolean()) {
            lockAndWork(shape, request, false);
            sleep(5 * MILLI);
        }
    }

    /** Takes a lock and holds it until the moment; it must not be lost. */
    void holdThrough(LockRequest request, long until) {
        long asked = world.now();
        Lease lease = take(client.newSession(), request);
        if (lease == null) {
            throw new Violation("4: " + client.name() + " does not get " + request.names() + " though nobody has it");
        }
        Checker.Watched watched = checker.acquired(client.name(), lease, request, asked);
        watched.mustSurvive();
        while (world.now() < until) {
            sleep(50 * MILLI);
            checker.looked(watched);
        }
        checker.ended(watched, false);
        lease.release();
    }

    /** Tries to take a lock after all faults have ended; it must succeed in time. */
    void mustSucceed(LockRequest request) {
        try {
            long asked = world.now();
            Lease lease = new NodesConnection(client.newSession(), nodes).acquire(request);
            checker.ended(checker.acquired(client.name(), lease, request, asked), false);
            lease.release();
        } catch (LockException | InterruptedException e) {
            throw new Violation("4: " + client.name() + " does not get " + request.mode() + " on " + request.names()
                    + " though all faults have ended: " + e.getMessage());
        }
    }

    private void sleep(long mostNanos) {
        world.waitUntil(world.now() + (long) (random.nextDouble() * mostNanos));
    }

    private void lockAndWork(Shape shape, LockRequest request, boolean async) {
        LockSession session = client.newSession();
        long asked = world.now();
        Lease lease = async ? takeAsync(session, request) : take(session, request);
        if (lease == null) {
            if (async) {
                checker.cancelled(request);
            } else {
                checker.timedOut(client.name(), request, asked);
            }
            return;
        }
        Checker.Watched watched = checker.acquired(client.name(), lease, request, asked);
        if (use(watched) && shape == Shape.DOWNGRADING) {
            watched = goOnReading(session, watched, request);
            use(watched);
        }
        checker.ended(watched, !checker.looked(watched) && request.renewed());
        watched.lease().release();
    }

    private Lease take(LockSession session, LockRequest request) {
        try {
            return new NodesConnection(session, nodes).tryAcquire(request).orElse(null);
        } catch (LockException e) {
            return null; // too few nodes, for now
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Lease takeAsync(LockSession session, LockRequest request) {
        CompletableFuture<Lease> promise = session.acquireAsync(request);
        World.Task me = world.current();
        promise.whenComplete((lease, failure) -> world.wake(me));
        long patience = random.nextInt(4) == 0 ? world.now() + random.nextInt(100) * MILLI : Long.MAX_VALUE;
        while (!promise.isDone() && world.now() < patience) {
            world.waitUntil(patience);
        }
        promise.cancel(false);
        try {
            return promise.join();
        } catch (CancellationException e) {
            return null;
        } catch (CompletionException e) {
            if (e.getCause() instanceof LockException) {
                return null;
            }
            throw e;
        }
    }

    /** Looks at a lease now and then; returns whether it is held to the end. */
    private boolean use(Checker.Watched watched) {
        int steps = random.nextInt(6);
        boolean held = true;
        for (int step = 0; step < steps && held && world.now() < restFrom; step++) {
            sleep(habits.paceNanos(watched.lease().remaining()));
            held = checker.looked(watched);
        }
        if (!held) { // lost is lost: another look must find the same
            sleep(200 * MILLI);
            checker.looked(watched);
        }
        return held;
    }

    private Checker.Watched goOnReading(LockSession session, Checker.Watched writer, LockRequest request) {
        long asked = world.now();
        LockRequest toRead = request.mode(LockMode.READ);
        Lease reader = take(session, toRead);
        if (reader == null) {
            return writer;
        }
        if (reader.token() == writer.lease().token()) {
            Checker.Watched reading = checker.goesOnReading(writer, reader);
            writer.lease().release();
            return reading;
        }
        checker.ended(writer, request.renewed()); // it was lost just now, and this is another
        writer.lease().release();
        return checker.acquired(client.name(), reader, toRead, asked);
    }
}
