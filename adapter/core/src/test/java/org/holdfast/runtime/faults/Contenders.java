// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;

/**
 * Callers that take one lock again and again, each with a lock service of its own, as processes have: some hold it for
 * a moment, some for as long as it is renewed. Notes whenever two of them have it, and tokens that do not rise.
 */
final class Contenders implements AutoCloseable {

    static final String NAME = "contested";

    private final List<LockConnectionFactory> factories = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Lease> held = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicLong lastToken = new AtomicLong();
    private final AtomicLong acquisitions = new AtomicLong();
    private final Duration ttl;
    private volatile boolean ended;

    /** @param ttl of their leases, which are renewed */
    Contenders(Duration ttl) {
        this.ttl = ttl;
    }

    /**
     * Adds callers.
     *
     * @param holding how long they have the lock at the most
     */
    void add(Map<String, String> settings, Duration holding) {
        LockConnectionFactory factory = Holdfast.connect(settings);
        factories.add(factory);
        Thread thread = new Thread(() -> contend(factory, holding), "contender-" + factories.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void contend(LockConnectionFactory factory, Duration holding) {
        LockRequest request = LockRequest.of(NAME).ttl(ttl).waitTimeout(ofMillis(500));
        while (!ended) {
            long before = lastToken.get();
            try (LockConnection connection = factory.getConnection()) {
                Optional<Lease> lease = connection.tryAcquire(request);
                if (lease.isPresent()) {
                    hold(lease.get(), before, holding);
                }
            } catch (LockException e) {
                pause(ofMillis(20)); // no quorum
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void hold(Lease lease, long tokenBefore, Duration holding) {
        acquisitions.incrementAndGet();
        if (lease.token() <= tokenBefore) {
            violations.add("token " + lease.token() + " after " + tokenBefore);
        }
        lastToken.accumulateAndGet(lease.token(), Math::max);
        held.add(lease);
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(holding.toNanos());
        try {
            while (!ended && lease.isHeld() && System.nanoTime() - until < 0) {
                lookFor(lease);
                pause(ofMillis(2));
            }
        } finally {
            held.remove(lease);
            lease.release();
        }
    }

    /** A lease that is lost stays lost: one that is held after another was seen to be held was held all the time. */
    private void lookFor(Lease mine) {
        for (Lease other : held) {
            if (other != mine && other.isHeld() && mine.isHeld()) {
                violations.add("held with the tokens " + mine.token() + " and " + other.token());
            }
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns how many leases there were so far. */
    long acquisitions() {
        return acquisitions.get();
    }

    /** Returns how long it takes from now until so many leases were taken. */
    Duration untilTaken(int leases, Duration patience) {
        long begun = System.nanoTime();
        long wanted = acquisitions.get() + leases;
        while (acquisitions.get() < wanted) {
            assertThat(System.nanoTime() - begun)
                    .as("nanoseconds without so many leases")
                    .isLessThan(patience.toNanos());
            pause(ofMillis(5));
        }
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    void assertExclusive() {
        assertThat(violations).isEmpty();
    }

    @Override
    public void close() {
        ended = true;
        for (Thread thread : threads) {
            try {
                thread.join(ofSeconds(10).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        factories.forEach(LockConnectionFactory::close);
    }
}
