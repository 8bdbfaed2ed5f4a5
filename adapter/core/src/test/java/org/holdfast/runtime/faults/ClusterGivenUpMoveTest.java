// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A voter that is a Redis Cluster of which an operator moves some keys of each kind of lock, and gives up the move, on
 * real processes.
 */
@Tag("thorough")
@Timeout(150)
class ClusterGivenUpMoveTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(14);

    private static final Duration HELD = ofSeconds(13);

    private static final Duration PATIENCE = ofSeconds(90);

    /** So long a client may look at nothing. */
    private static final Duration LOOKS = ofSeconds(1);

    /** What each key ends with that is moved; "" for all keys. */
    private static final List<String> MOVED = List.of("", ":lock", ":fence", ":readers");

    @RegisterExtension
    private final MovingVoters voters = new MovingVoters();

    /** A kind of lock: how a holder has it, and how another caller asks for it. */
    private enum Kind {
        EXCLUSIVE(name -> LockRequest.of(name), request -> request),
        FAIR(name -> LockRequest.of(name).fair(true), request -> request),
        WRITTEN(name -> LockRequest.of(name).mode(LockMode.WRITE), request -> request.mode(LockMode.READ)),
        READ(name -> LockRequest.of(name).mode(LockMode.READ), request -> request.mode(LockMode.WRITE)),
        PERMIT(name -> LockRequest.semaphore(name, 1), request -> request);

        private final Function<String, LockRequest> held;
        private final UnaryOperator<LockRequest> other;

        Kind(Function<String, LockRequest> held, UnaryOperator<LockRequest> other) {
            this.held = held;
            this.other = other;
        }
    }

    /** A lock that is held, of which keys are moved. */
    private record Held(Kind kind, Lease lease, String moved) {

        int slot() {
            return MovingVoters.slot(lease.name());
        }

        LockRequest asOther() {
            return kind.other.apply(kind.held.apply(lease.name()));
        }
    }

    private static List<Held> holdOneOfEach(LockConnection locks) throws Exception {
        List<Held> held = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (String moved : MOVED) {
                String name = kind + "-" + moved.replace(':', '-');
                LockRequest request = kind.held.apply(name).fixedTtl(HELD).waitTimeout(PATIENCE);
                held.add(new Held(kind, locks.acquire(request), moved));
            }
        }
        return held;
    }

    private static Optional<Lease> tryAcquire(LockConnection locks, LockRequest request) throws Exception {
        try {
            return locks.tryAcquire(request.waitTimeout(Duration.ZERO));
        } catch (LockException e) {
            return Optional.empty();
        }
    }

    @Test
    void locks_ofAnyKindWhoseMoveIsGivenUpHalfWay_areGrantedToNoOtherWhileTheyAreHeld() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 0));
        LockConnection locks = voters.connect(cluster.uri(), MEMORY);
        LockConnection others = voters.connect(cluster.uri(), MEMORY);
        for (int i = 0; i < 3; i++) { // on each shard
            String name = nameOn(cluster, cluster.servers().get(i));
            locks.acquire(LockRequest.of(name).waitTimeout(PATIENCE)).release();
        }
        List<Held> held = holdOneOfEach(locks);
        Held fair = held.get(MOVED.size());
        CompletableFuture<Long> inLine =
                others.acquireAsync(fair.asOther().waitTimeout(PATIENCE)).thenApply(ClusterGivenUpMoveTest::released);

        for (Held each : held) {
            RedisServer from = cluster.owner(each.slot());
            cluster.beginMove(each.slot(), from, nextTo(cluster, from));
        }
        Thread.sleep(LOOKS.multipliedBy(2).toMillis());
        for (Held each : held) {
            RedisServer from = cluster.owner(each.slot());
            cluster.moveKeys(each.slot(), from, nextTo(cluster, from), key -> key.endsWith(each.moved()));
            cluster.abandonMove(each.slot(), from, nextTo(cluster, from));
        }
        while (held.stream().anyMatch(each -> each.lease().isHeld())) {
            for (Held each : held) {
                Optional<Lease> next = tryAcquire(others, each.asOther());
                assertThat(next.isPresent() && each.lease().isHeld())
                        .as("two holders of " + each.lease().name())
                        .isFalse();
            }
            assertThat(inLine.isDone() && fair.lease().isHeld())
                    .as("it waits in line")
                    .isFalse();
        }
        for (Held each : held) {
            long next = released(others.acquire(each.asOther().waitTimeout(PATIENCE)));
            assertThat(next).as(each.lease().name()).isGreaterThan(each.lease().token());
        }
        assertThat(inLine.join()).isGreaterThan(fair.lease().token());
    }

    private static long released(Lease lease) {
        lease.release();
        return lease.token();
    }

    private static RedisServer nextTo(RedisCluster cluster, RedisServer server) {
        List<RedisServer> servers = cluster.servers();
        return servers.get((servers.indexOf(server) + 1) % servers.size());
    }

    private static String nameOn(RedisCluster cluster, RedisServer server) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "name-" + i)
                .filter(name -> cluster.owner(MovingVoters.slot(name)) == server)
                .findFirst()
                .orElseThrow();
    }
}
