// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A running system is operated from another JVM, which has the executable jar and nothing else. */
@Timeout(150)
class OperatorIT {

    private static final Map<String, String> SETTINGS =
            Map.of("maxLeaseTtlMillis", "4000", "ttlMillis", "4000", "nodeTimeoutMillis", "1000");

    @TempDir
    private Path directory;

    private final RedisServers redis = RedisServers.start(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    /** What a command wrote and returned. */
    private record Done(int code, String out, String err) {}

    private ProcessBuilder command(String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                System.getProperty("cli")));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
        builder.environment().put("HOLDFAST_NODES", redis.uris());
        builder.environment().put("HOLDFAST_MAX_LEASE_TTL_MILLIS", "4000");
        builder.environment().put("HOLDFAST_TTL_MILLIS", "4000");
        builder.environment().put("HOLDFAST_NODE_TIMEOUT_MILLIS", "1000");
        return builder;
    }

    private Done run(String... arguments) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process = command(arguments)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        return new Done(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("nodes", redis.uris());
        return settings;
    }

    @Test
    void system_isOperatedByTheCommandLineAlone() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings());
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("hot").detached().waitTimeout(ofSeconds(40)));
            LinkedBlockingQueue<LeaseLoss> losses = new LinkedBlockingQueue<>();
            lease.onLost(losses::add);
            LinkedBlockingQueue<Lease> next = new LinkedBlockingQueue<>();
            LockRequest fair = LockRequest.of("hot").fair(true).waitTimeout(ofSeconds(100));
            for (int i = 0; i < 3; i++) {
                connection.acquireAsync(fair).thenAccept(next::add);
            }
            Lease other = connection.acquire(LockRequest.of("other").detached().waitTimeout(ofSeconds(40)));

            assertSeen(lease);
            Path watched = directory.resolve("watched");
            Process watch = command("watch", "--every", "PT0.3S")
                    .redirectOutput(watched.toFile())
                    .redirectError(directory.resolve("watched-err").toFile())
                    .start();
            try {
                awaitLine(watched, "lock 'hot' held by .* with token " + lease.token() + "; 3 in line, 1 listening");
                restartOneNode(watched);
                releaseByForce(lease, losses, watched);
                for (int i = 0; i < 3; i++) {
                    Lease got = next.poll(60, TimeUnit.SECONDS);
                    assertThat(got).as("a waiter has it").isNotNull();
                    got.release();
                }
                awaitLine(watched, "lock 'hot' free");
                assertThat(other.isHeld()).as("a lock that was not meant").isTrue();
            } finally {
                watch.destroy();
            }
        }
    }

    private void assertSeen(Lease lease) {
        await().atMost(ofSeconds(60)).untilAsserted(() -> {
            Done hot = run("locks", "--hot", "--patience", "PT20S");
            assertThat(hot.code()).as(hot.err()).isZero();
            assertThat(hot.out().lines().toList().get(1))
                    .as("the first one")
                    .startsWith("hot ")
                    .contains(
                            "EXCLUSIVE",
                            "" + lease.token(),
                            "" + ProcessHandle.current().pid())
                    .matches(".* 3 +1");
            assertThat(hot.out()).contains("other ");
        });
        await().atMost(ofSeconds(60)).untilAsserted(() -> assertThat(
                        run("waiters", "hot", "--patience", "PT20S").out())
                .containsPattern("hot +- +3 +1 +1"));
    }

    /** The node has forgotten what it knew: the applications put it in quarantine, which the operator sees. */
    private void restartOneNode(Path watched) throws Exception {
        String node = redis.get(2).uri();
        redis.get(2).kill();
        awaitLine(watched, "node " + node + " cannot be used: .*");
        redis.get(2).start();
        awaitLine(watched, "node " + node + " is in quarantine");
        String state = run("nodes").out();
        for (int again = 0; again < 3 && !state.contains("QUARANTINED"); again++) { // the command began too late
            redis.get(2).kill();
            redis.get(2).start();
            state = run("nodes").out();
        }
        assertThat(state).containsPattern(node + " +QUARANTINED");
        awaitLine(watched, "(?s)node " + node + " is in quarantine\n.*node " + node + " votes");
    }

    private void releaseByForce(Lease lease, LinkedBlockingQueue<LeaseLoss> losses, Path watched) throws Exception {
        Done released = run("release", "hot", "--reason", "hangs since noon", "--patience", "PT20S");
        assertThat(released.code()).as(released.err()).isZero();
        assertThat(released.out()).contains("" + lease.token());
        assertThat(released.err())
                .contains("HF0214: forced release of 'hot'")
                .contains("because: 'the user " + System.getProperty("user.name")
                        + " of the command line: hangs since noon'")
                .contains("with token " + lease.token());
        assertThat(losses.poll(30, TimeUnit.SECONDS)).as("the holder is told").isNotNull();
        assertThat(lease.isHeld()).isFalse();
        awaitLine(watched, "lock 'hot' held by .* with token (?!" + lease.token() + ").*");
    }

    private static void awaitLine(Path watched, String regex) {
        await().atMost(ofSeconds(60))
                .untilAsserted(() -> assertThat(Files.readString(watched)).containsPattern(regex));
    }

    @Test
    void nodes_thatWereNeverUsed_areLeftAsTheyAre() throws Exception {
        Done done = run("nodes");
        assertThat(done.code()).isEqualTo(Main.UNAVAILABLE);
        assertThat(done.out()).contains("no process that takes locks has looked at it");
        assertThat(redis.get(0).command("DBSIZE")).isEqualTo(":0\r\n");
    }

    @Test
    void name_thatTheLocaleDoesNotHave_isRefused() throws Exception {
        ProcessBuilder builder = command("holders", "schlo\u00df");
        builder.environment().put("LC_ALL", "C");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(process.exitValue()).isEqualTo(Main.USAGE);
        assertThat(Files.readString(directory.resolve("out"))).contains("LC_ALL=C.UTF-8");
    }

    @Test
    void version_isThatOfTheJar() throws Exception {
        assertThat(run("--version").out()).startsWith("holdfast 0.");
    }
}
