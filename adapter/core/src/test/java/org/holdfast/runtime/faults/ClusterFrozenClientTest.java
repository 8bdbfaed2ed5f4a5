// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.testkit.ProcessSignal;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process that stands still while a Redis Cluster changes, and goes on with what it knew. */
@Tag("thorough")
@Timeout(150)
class ClusterFrozenClientTest {

    /** The longest TTL here, and so the quarantine. */
    private static final Duration MEMORY = ofSeconds(3);

    private static final Duration PATIENCE = ofSeconds(60);

    /** For so long it goes on beside another holder. */
    private static final Duration BESIDE = ofSeconds(4);

    @RegisterExtension
    private final MovingVoters voters = new MovingVoters();

    private final Queue<Said> said = new ConcurrentLinkedQueue<>();

    /** What the process has printed. */
    private record Said(String what, String name, long moment) {

        static Said parse(String line) {
            String[] words = line.split(" ", -1);
            return new Said(words[0], words[1], Long.parseLong(words[2]));
        }

        boolean is(String expected, String lock) {
            return what.equals(expected) && name.equals(lock);
        }
    }

    private static String nameOn(RedisCluster cluster, RedisServer server) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "name-" + i)
                .filter(name -> cluster.owner(MovingVoters.slot(name)) == server)
                .findFirst()
                .orElseThrow();
    }

    private Process start(String nodes, List<String> names) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FrozenHolder.class.getName(),
                nodes,
                Long.toString(MEMORY.toMillis())));
        command.addAll(names);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader =
                new Thread(() -> process.inputReader().lines().map(Said::parse).forEach(said::add), "reader");
        reader.setDaemon(true);
        reader.start();
        return process;
    }

    @Test
    void process_frozenDuringAFailoverAndAMove_believesInNoLeaseAndTakesNoneThatIsHeld() throws Exception {
        RedisCluster cluster = voters.opened(RedisCluster.start(MovingVoters.FILES, 3, 3));
        RedisServer killed = cluster.servers().get(0);
        List<String> names = List.of(
                nameOn(cluster, killed), nameOn(cluster, cluster.servers().get(1)));
        int moved = MovingVoters.slot(names.get(1));
        Process frozen = start(cluster.uri(), names);
        try {
            LockConnection locks = voters.connect(cluster.uri(), MEMORY);
            await().atMost(PATIENCE).until(() -> said.stream().anyMatch(each -> each.is(FrozenHolder.HOLDS, "")));
            ProcessSignal.STOP.send(frozen);
            killed.kill();
            cluster.endMove(moved, cluster.servers().get(2)); // without its keys
            List<Lease> held = new ArrayList<>();
            for (String name : names) {
                held.add(locks.acquire(LockRequest.of(name).ttl(ofSeconds(3)).waitTimeout(PATIENCE)));
            }
            long taken = System.nanoTime();

            ProcessSignal.CONT.send(frozen);
            await().pollDelay(BESIDE).until(() -> true);
            assertThat(said).filteredOn(each -> each.moment() - taken > 0).isEmpty();
            assertThat(held).allMatch(Lease::isHeld);
            held.forEach(Lease::release);
            for (String name : names) {
                await().atMost(PATIENCE).until(() -> said.stream().anyMatch(each -> each.is(FrozenHolder.TAKEN, name)));
            }
        } finally {
            frozen.destroyForcibly();
        }
    }
}
