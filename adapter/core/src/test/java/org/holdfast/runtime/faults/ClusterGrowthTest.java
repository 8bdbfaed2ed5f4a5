// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ClusterNode;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A Redis Cluster gets a shard, and slots are moved there, while 1,000 locks are held, waited for and asked for. */
@Tag("thorough")
@Timeout(400)
class ClusterGrowthTest {

    private static final System.Logger LOG = System.getLogger(ClusterGrowthTest.class.getName());

    private static final int LOCKS = 1_000;
    private static final int MOVED_SLOTS = 250;

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofMillis(Integer.getInteger("clusters.memory", 30_000));

    /** It outlives the time in which the next node of a slot is not asked, on a busy machine. */
    private static final Duration TTL = MEMORY;

    private static final Duration FIRST_USE = MEMORY.plusSeconds(30);

    /** For a slot that was moved, on a busy machine. */
    private static final Duration RECOVERY = MEMORY.plusSeconds(40);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    private RedisCluster cluster;

    /** By name. */
    private final Map<String, Lease> held = new TreeMap<>();

    /** The source of each slot that was moved. */
    private final Map<Integer, RedisServer> moved = new TreeMap<>();

    private static LockRequest request(String name) {
        return LockRequest.of(name).ttl(TTL).waitTimeout(FIRST_USE);
    }

    @Test
    void shard_addedWhileManyLocksAreHeld_losesNoneGrantsNoneTwiceAndLeavesNothingBehind() throws Exception {
        cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connectPatiently(cluster.uri(), MEMORY);
        for (int i = 0; i < LOCKS; i++) {
            held.put("name-" + i, locks.acquire(request("name-" + i)));
        }
        LockConnection waiting = voters.connectPatiently(cluster.uri(), MEMORY);
        Map<String, CompletableFuture<Lease>> waiters = new TreeMap<>();
        for (int i = 0; i < LOCKS; i += LOCKS / 20) { // in slots that are moved, and in others
            String name = "name-" + i;
            waiters.put(name, waiting.acquireAsync(request(name).waitTimeout(ofSeconds(200))));
        }
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 3; i++) {
            contenders.add(MovingVoters.settings(cluster.uri(), MEMORY), ofMillis(100));
        }
        contenders.untilTaken(5, FIRST_USE);

        try (Asker asker = new Asker(voters.connectPatiently(cluster.uri(), MEMORY), List.copyOf(held.keySet()))) {
            moveSlots(contenders);
            asker.awaitRound();
            await().pollDelay(TTL.plusSeconds(1)).atMost(RECOVERY).until(() -> true); // all leases were renewed since
            asker.awaitRound();
            assertThat(asker.granted).as("granted while they were held").isEmpty();
        }
        assertThat(held.values()).allMatch(Lease::isHeld);
        assertThat(waiters.values()).noneMatch(CompletableFuture::isDone);

        Map<String, Long> tokens = new TreeMap<>();
        held.forEach((name, lease) -> tokens.put(name, lease.token()));
        held.values().forEach(Lease::release);
        for (Map.Entry<String, CompletableFuture<Lease>> waiter : waiters.entrySet()) {
            Lease next = waiter.getValue().get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
            assertThat(next.token()).as(waiter.getKey()).isGreaterThan(tokens.put(waiter.getKey(), next.token()));
            next.release();
        }
        LockConnection others = voters.connectPatiently(cluster.uri(), MEMORY);
        for (Map.Entry<String, Long> token : tokens.entrySet()) {
            Lease next = others.acquire(request(token.getKey()).waitTimeout(RECOVERY));
            assertThat(next.token()).as(token.getKey()).isGreaterThan(token.getValue());
            next.release();
        }
        contenders.assertExclusive();
        moved.forEach((slot, source) ->
                assertThat(ClusterNode.keys(slot, source)).as("left behind").isEmpty());
        contenders.close();
        MovingVoters.assertNothingIsKeptForEver(cluster);
    }

    /** Moves slots, and reports after what time two are used as before: that of a held lock, and a contested one. */
    private void moveSlots(Contenders contenders) {
        RedisServer added = cluster.addPrimary();
        int contested = MovingVoters.slot(Contenders.NAME);
        List<Integer> slots = new ArrayList<>(held.keySet().stream()
                .map(MovingVoters::slot)
                .filter(slot -> slot != contested)
                .distinct()
                .limit(MOVED_SLOTS)
                .toList());
        slots.add(0, contested);
        Lease renewed = held.values().stream()
                .filter(lease -> MovingVoters.slot(lease.name()) == slots.get(1))
                .findFirst()
                .orElseThrow();
        move(slots.get(1), added);
        CompletableFuture<Void> renewal = reportRenewal(renewed);
        move(contested, added);
        CompletableFuture<Void> grant =
                onThread(() -> report("a slot that was moved grants again", contenders.untilTaken(1, RECOVERY)));
        long begun = System.nanoTime();
        slots.stream().skip(2).forEach(slot -> move(slot, added));
        report("all slots are moved", Duration.ofNanos(System.nanoTime() - begun));
        renewal.join();
        grant.join();
    }

    private void move(int slot, RedisServer to) {
        moved.put(slot, cluster.owner(slot));
        cluster.move(slot, to);
    }

    private static CompletableFuture<Void> reportRenewal(Lease lease) {
        long begun = System.nanoTime();
        return onThread(() -> {
            Duration last = lease.remaining();
            while (lease.remaining().compareTo(last) <= 0) {
                assertThat(lease.isHeld()).as(lease.name()).isTrue();
                last = lease.remaining();
                await().pollDelay(ofMillis(5)).until(() -> true);
            }
            report("a slot that was moved renews again", Duration.ofNanos(System.nanoTime() - begun));
        });
    }

    private static CompletableFuture<Void> onThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task, "cluster-growth").start());
    }

    private static void report(String event, Duration time) {
        LOG.log(System.Logger.Level.INFO, event + " after " + time.toMillis() + " ms");
    }

    /** Another client, which asks all the time for what is held. */
    private static final class Asker implements AutoCloseable {

        private final Queue<String> granted = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile int rounds;
        private final CompletableFuture<Void> asking;

        Asker(LockConnection locks, List<String> names) {
            asking = onThread(() -> ask(locks, names));
        }

        private void ask(LockConnection locks, List<String> names) {
            while (!over.get()) {
                for (String name : names) {
                    try {
                        if (!over.get() && MovingVoters.isGranted(locks, name)) {
                            granted.add(name);
                        }
                        Thread.sleep(1); // it is not to keep the machine busy
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
                rounds++;
            }
        }

        /** Waits until it has asked for each of them once more. */
        void awaitRound() {
            int wanted = rounds + 2;
            await().atMost(RECOVERY).until(() -> asking.isDone() || rounds >= wanted);
        }

        @Override
        public void close() {
            over.set(true);
            asking.join();
        }
    }
}
