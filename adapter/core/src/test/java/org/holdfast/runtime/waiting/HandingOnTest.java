// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.ReleaseResult;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of one process that contend for a lock seldom ask the nodes, and do not starve another process. */
@Timeout(60)
class HandingOnTest {

    private static final LockRequest REQUEST = LockRequest.of("a").waitTimeout(ofSeconds(30));

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 2, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    @Test
    void threads_ofOneProcess_seldomAskTheNodes() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inside = new AtomicInteger();
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(Processes.start(() -> {
                for (int i = 0; i < 200; i++) {
                    Lease lease = processes.connection(0).acquire(REQUEST);
                    assertThat(inside.incrementAndGet()).isOne();
                    tokens.add(lease.token());
                    inside.decrementAndGet();
                    lease.release();
                }
                return null;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            thread.get(50, SECONDS);
        }
        assertThat(tokens).hasSize(800).isSorted().doesNotHaveDuplicates();
        assertThat(processes.scriptCalls(0))
                .as("two each, were nothing passed on: 1600")
                .isLessThan(800);
    }

    /** Within the 100 ms in which a lock is passed on, and long before its next renewal. */
    @Test
    void lock_thatAnotherProcessTookAway_isNotPassedOn() throws Exception {
        LockRequest request = REQUEST.ttl(ofSeconds(20)).detached();
        for (int round = 0; round < 10; round++) {
            Lease before = processes.tryAcquire(1, request).orElseThrow();
            CompletableFuture<Lease> first = processes.connection(0).acquireAsync(request);
            CompletableFuture<Lease> heir = processes.connection(0).acquireAsync(request);
            processes.awaitListening("a");
            before.release();
            CompletableFuture.anyOf(first, heir).get(10, SECONDS);
            Lease old = first.isDone() ? first.join() : heir.join();
            CompletableFuture<Lease> next = first.isDone() ? heir : first;
            assertThat(processes.factory(1).forceRelease(request)).hasSize(1);
            Optional<Lease> taken = processes.tryAcquire(1, request); // unless the waiter was faster
            await().atMost(ofSeconds(4)).until(() -> !old.isHeld());
            assertThat(old.release()).isEqualTo(ReleaseResult.NOT_HELD);
            if (taken.isPresent()) {
                assertThat(next).isNotDone();
                taken.get().release();
            }
            Lease last = next.get(10, SECONDS);
            assertThat(last.token()).isGreaterThan(taken.orElse(old).token());
            last.release();
            await().until(() -> processes.isFree(1, request));
        }
    }

    /**
     * What it asks when it has received a release comes to the nodes 8 ms after that, when a moment of the shortest
     * kind is over. They share the lock all the same: each has it for about 100 ms, which is some 20 turns of the near
     * one, and one moment of five is long enough also on a busy machine.
     */
    @Test
    void otherProcess_thatIsFar_hasItsTurnSoon() throws Exception {
        List<Link> links = new ArrayList<>();
        for (RedisServer node : processes.redis.all()) {
            links.add(new Link(node.port()));
        }
        Map<String, String> settings = new HashMap<>(processes.settings);
        settings.put(
                "nodes",
                links.stream().map(l -> "redis://127.0.0.1:" + l.port()).collect(joining(",")));
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger taken = new AtomicInteger();
        List<FutureTask<Object>> threads = new ArrayList<>();
        try (LockConnectionFactory far = Holdfast.connect(settings);
                LockConnection connection = far.getConnection()) {
            connection.acquire(LockRequest.of("b")).release();
            links.forEach(link -> link.delayAll(Duration.ofMillis(4)));
            for (int thread = 0; thread < 4; thread++) {
                threads.add(Processes.start(() -> {
                    while (!over.get()) {
                        Lease lease = processes.connection(0).acquire(REQUEST);
                        LockSupport.parkNanos(MILLISECONDS.toNanos(5));
                        taken.incrementAndGet();
                        lease.release();
                    }
                    return null;
                }));
            }
            assertThat(median(turnsOfOthers(connection, taken)))
                    .as("most often it waits twice or so, beside a load ten times")
                    .isLessThan(400);
            over.set(true);
            for (FutureTask<Object> thread : threads) {
                thread.get(40, SECONDS);
            }
        } finally {
            over.set(true);
            links.forEach(Link::close);
        }
    }

    @Test
    void otherProcess_thatWaits_hasItsTurnSoon() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger taken = new AtomicInteger();
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
            threads.add(Processes.start(() -> {
                LockConnection connection = processes.connection(0);
                while (!over.get()) {
                    Lease lease = connection.acquire(REQUEST);
                    taken.incrementAndGet();
                    lease.release();
                }
                return null;
            }));
        }
        List<Integer> turns = turnsOfOthers(processes.connection(1), taken);
        over.set(true);
        for (FutureTask<Object> thread : threads) {
            thread.get(40, SECONDS);
        }
        assertThat(median(turns)).as("at most 16 in a row, most often").isLessThan(100);
    }

    /** What the nodes answer to its release says that another process waits: it lets that one go first all the same. */
    @Test
    void otherProcess_besideOneThatDoesNotWaitForItsReleases_hasItsTurnSoon() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger taken = new AtomicInteger();
        FutureTask<Object> greedy = Processes.start(() -> {
            LockConnection connection = processes.connection(0);
            while (!over.get()) {
                Lease lease = connection.acquire(REQUEST.release(Release.ASYNC));
                taken.incrementAndGet();
                lease.release();
            }
            return null;
        });
        List<Integer> turns = turnsOfOthers(processes.connection(1), taken);
        over.set(true);
        greedy.get(40, SECONDS);
        assertThat(median(turns)).as("one of its own, most often").isLessThan(6);
    }

    /** Takes the lock again and again; returns how often others have had it before each time. */
    private static List<Integer> turnsOfOthers(LockConnection connection, AtomicInteger taken) throws Exception {
        List<Integer> turns = new ArrayList<>();
        for (int turn = 0; turn < 21; turn++) {
            int before = taken.get();
            connection.acquire(REQUEST).release();
            turns.add(taken.get() - before);
        }
        return turns;
    }

    /** A busy machine makes some turns late, and these say nothing about the rule. */
    private static int median(List<Integer> counts) {
        return counts.stream().sorted().skip(counts.size() / 2).findFirst().orElseThrow();
    }
}
