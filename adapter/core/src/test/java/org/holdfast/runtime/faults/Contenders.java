// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
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
import org.holdfast.history.History;
import org.holdfast.history.HistoryCheck;
import org.holdfast.history.Hold;
import org.holdfast.history.Kind;
import org.holdfast.history.Verdict;

/**
 * Callers that take one lock again and again, each with a lock service of its own, as processes have: some hold it for
 * a moment, some for as long as it is renewed. Keeps the history of what they saw.
 */
final class Contenders implements AutoCloseable {

    static final String NAME = "contested";

    private final List<LockConnectionFactory> factories = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Callers that end, the first ones. */
    private volatile int ending;

    private final Queue<Hold> ended = new ConcurrentLinkedQueue<>();

    /** By caller, what it has seen so far of the lease that it has. */
    private final Map<Integer, Hold> held = new ConcurrentHashMap<>();

    private final AtomicLong acquisitions = new AtomicLong();

    /** By caller, why it was last refused: of a test that waits in vain, the cause. */
    private final Map<Integer, String> refusals = new ConcurrentHashMap<>();

    private final String name;
    private final Duration ttl;
    private volatile boolean over;

    /** @param ttl of their leases, which are renewed */
    Contenders(Duration ttl) {
        this(NAME, ttl);
    }

    /** @param name of the lock for which they contend */
    Contenders(String name, Duration ttl) {
        this.name = name;
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
        int caller = factories.size();
        Thread thread = new Thread(() -> contend(caller, factory, holding), "contender-" + caller);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void contend(int caller, LockConnectionFactory factory, Duration holding) {
        LockRequest request = LockRequest.of(name).ttl(ttl).waitTimeout(ofMillis(500));
        while (!over && caller > ending) {
            long asked = System.nanoTime();
            try (LockConnection connection = factory.getConnection()) {
                Optional<Lease> lease = connection.tryAcquire(request);
                refusals.remove(caller);
                if (lease.isPresent()) {
                    hold(caller, lease.get(), asked, holding);
                }
            } catch (LockException e) {
                refusals.put(caller, e.getMessage());
                pause(ofMillis(20)); // no quorum
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void hold(int caller, Lease lease, long asked, Duration holding) {
        long granted = System.nanoTime();
        acquisitions.incrementAndGet();
        long until = granted + ThreadLocalRandom.current().nextLong(holding.toNanos());
        long end = validUntil(lease, asked);
        long now = granted;
        while (!over && caller > ending && lease.isHeld() && now - until < 0) {
            end = Math.max(end, Math.max(now, validUntil(lease, asked)));
            held.put(caller, seen(caller, lease, asked, granted, end));
            pause(ofMillis(2));
            now = System.nanoTime();
        }
        ended.add(seen(caller, lease, asked, granted, Math.min(end, System.nanoTime())));
        lease.release();
        held.remove(caller);
    }

    /** Returns a moment until which a lease is valid at least; that at which it was asked for if it is over. */
    private static long validUntil(Lease lease, long asked) {
        long now = System.nanoTime();
        Duration remaining = lease.remaining();
        return remaining.isZero() ? asked : now + remaining.toNanos();
    }

    private Hold seen(int caller, Lease lease, long asked, long granted, long end) {
        return new Hold(caller, name, Kind.EXCLUSIVE, 1, lease.token(), asked, granted, end, end);
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the caller that was added first, as a process does that ends in order, and adds another one. */
    void replaceOne(Map<String, String> settings, Duration holding) throws InterruptedException {
        int first = ending;
        ending = first + 1;
        threads.get(first).join(ofSeconds(10).toMillis());
        factories.get(first).close();
        add(settings, holding);
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
                    .as("nanoseconds without so many leases; callers are refused: %s", refusals)
                    .isLessThan(patience.toNanos());
            pause(ofMillis(5));
        }
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Returns the longest time since a moment in which no lease was granted. */
    Duration longestPause(long since) {
        long last = since;
        long longest = 0;
        List<Long> moments = new ArrayList<>(ended.stream()
                .map(Hold::granted)
                .filter(at -> at - since > 0)
                .sorted()
                .toList());
        moments.add(System.nanoTime());
        for (long moment : moments) {
            longest = Math.max(longest, moment - last);
            last = moment;
        }
        return Duration.ofNanos(longest);
    }

    void assertExclusive() {
        long now = System.nanoTime();
        Map<List<Long>, Hold> seen = new HashMap<>();
        held.values().forEach(hold -> seen.put(key(hold), soFar(hold, now)));
        ended.forEach(hold -> seen.put(key(hold), hold)); // one that has just ended may be among the others too
        History history = new History();
        seen.values().forEach(history::add);
        Verdict verdict = HistoryCheck.decide(history);
        assertThat(verdict.examples()).isEmpty();
        assertThat(verdict.holds()).isPositive();
    }

    private static List<Long> key(Hold hold) {
        return List.of((long) hold.caller(), hold.token());
    }

    private Hold soFar(Hold hold, long now) {
        long end = Math.min(hold.end(), now);
        return new Hold(hold.caller(), name, Kind.EXCLUSIVE, 1, hold.token(), hold.asked(), hold.granted(), end, end);
    }

    @Override
    public void close() {
        over = true;
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
