// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockOperations;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What commands show of locks on three real nodes, which are used without a guard. */
@Timeout(60)
class LookTest {

    private static final int ALL = 100;

    private static RedisServers redis;

    private final Shell shell = new Shell(redis.uris());

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void forgetAllLocks() throws Exception {
        for (RedisServer node : redis.all()) {
            node.command("FLUSHALL");
        }
    }

    private static Map<String, String> settings(String nodes) {
        return Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000");
    }

    private static Lease take(LockConnectionFactory locks, LockRequest request) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(request.detached().waitTimeout(ofSeconds(20)));
        }
    }

    private static List<String> locksOf(List<String> changes) {
        return changes.stream().filter(change -> !change.startsWith("node ")).toList();
    }

    /** Takes one line, as {@code head -1} does, and is gone. */
    private static final class Head extends Writer {

        private final StringBuilder taken = new StringBuilder();

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            if (taken.indexOf("\n") >= 0) {
                throw new IOException("Broken pipe");
            }
            taken.append(text, from, length);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void locks_thatAreSemaphores_haveTheirPermits() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.semaphore("s", 1));
            take(locks, LockRequest.of("x"));
            assertThat(shell.run("locks")).isZero();
            assertThat(shell.out())
                    .containsPattern("LOCK +MODE +PERMITS ")
                    .containsPattern("s +PERMIT +1 ")
                    .containsPattern("x +EXCLUSIVE +- ");
            assertThat(shell.run("waiters", "s", "--permits", "1")).isZero();
            assertThat(shell.out()).containsPattern("s +1 +0 +0 +1");
        }
    }

    @Test
    void locks_thatAreHot_areSortedBeforeTheListIsCut() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()));
                LockConnection connection = locks.getConnection()) {
            for (String name : List.of("a", "b", "c", "z")) {
                take(locks, LockRequest.of(name));
            }
            connection.acquireAsync(LockRequest.of("z").fair(true).waitTimeout(ofSeconds(60)));
            await().atMost(ofSeconds(20)).untilAsserted(() -> {
                assertThat(shell.run("locks", "--hot", "--limit", "2")).isZero();
                assertThat(shell.out().lines().toList().get(1)).startsWith("z ").matches(".* 1 +1");
            });
            assertThat(shell.out().lines())
                    .as("a heading, two locks, and that there are more")
                    .hasSize(4);
            assertThat(shell.out()).contains("There are more locks than these.");
            assertThat(shell.run("locks", "--hot", "--limit", "4")).isZero();
            assertThat(shell.out()).doesNotContain("There are more");
        }
    }

    @Test
    void processesThatListen_areNotSaidToWaitForTheLockAlone() throws Exception {
        String note = "of that name: nodes do not know which";
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()));
                LockConnection connection = locks.getConnection()) {
            take(locks, LockRequest.semaphore("s", 1));
            assertThat(shell.run("waiters", "s")).isZero();
            assertThat(shell.out()).doesNotContain(note);
            connection.acquireAsync(LockRequest.semaphore("s", 1).waitTimeout(ofSeconds(60)));
            await().atMost(ofSeconds(20)).untilAsserted(() -> {
                assertThat(shell.run("waiters", "s")).isZero();
                assertThat(shell.out()).containsPattern("s +- +0 +1 +0").contains(note);
            });
        }
    }

    @Test
    void keys_thatNoLockCanHave_areCountedBelowTheLocks() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.of("x"));
            assertThat(shell.run("locks")).isZero();
            assertThat(shell.out()).doesNotContain("left out");
            redis.get(0).command("SET holdfast:{}:lock junk");
            assertThat(shell.run("locks")).isZero();
            assertThat(shell.out()).containsPattern("x +EXCLUSIVE").contains("Keys that were left out: 1.");
        }
    }

    @Test
    void semaphore_thatIsAskedForWithoutPermits_isNotSaidToBeFree() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.semaphore("s", 1));
            for (String command : List.of("holders", "waiters")) {
                assertThat(shell.run(command, "s")).isZero();
                assertThat(shell.out())
                        .contains("For a semaphore of that name")
                        .contains("--permits")
                        .doesNotContain("free");
                assertThat(shell.run(command, "s", "--permits", "1")).isZero();
                assertThat(shell.out()).doesNotContain("a semaphore of that name");
            }
        }
        assertThat(shell.run("holders", "t", "--permits", "2")).isZero();
        assertThat(shell.out()).contains("first 2 permits").doesNotContain("free");
    }

    @Test
    void holders_onNodes_areShownWithTheNumberOfNodes() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.of("x"));
            assertThat(shell.run("holders", "x")).isZero();
            assertThat(shell.out()).contains(" 3 of 3 ");
            assertThat(shell.run("holders", "x", "--nodes", redis.get(0).uri())).isZero();
            assertThat(shell.out()).contains(" 1 of 1 ");
        }
    }

    @Test
    void name_thatLooksLikeColumns_isOneCell() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.of("y  free  'z'"));
            assertThat(shell.run("locks")).isZero();
            assertThat(shell.out()).contains("'y  free  \\'z\\''  EXCLUSIVE");
            assertThat(shell.run("waiters", "y  free  'z'")).isZero();
            assertThat(shell.out()).contains("'y  free  \\'z\\''  -");
        }
    }

    @Test
    void watch_whoseReaderHasGone_ends() {
        Head head = new Head();
        assertThat(shell.run(head, "watch", "--every", "PT0.2S")).isZero();
        assertThat(head.taken.toString().lines()).hasSize(1);
    }

    @Test
    void sight_ofLocksThatCannotBeSeen_keepsWhatWasKnown() throws Exception {
        try (RedisServers own = RedisServers.start(3);
                LockConnectionFactory locks = Holdfast.connect(settings(own.uris()));
                LockOperations operations = Holdfast.operate(settings(own.uris()))) {
            Lease lease = take(locks, LockRequest.of("x"));
            Sight before = Sight.of(operations, ALL, Sight.NONE);
            assertThat(before.facts()).containsKey("lock 'x'");
            own.get(0).kill();
            own.get(1).kill();
            Sight out = Sight.of(operations, ALL, before);
            assertThat(locksOf(out.changesSince(before)))
                    .containsExactly("locks cannot be seen: too few nodes can be used");
            assertThat(out.facts().get("lock 'x'")).contains("with token " + lease.token());
        }
    }

    @Test
    void sight_ofMoreLocksThanTheLimit_callsNoneFree() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()));
                LockOperations operations = Holdfast.operate(settings(redis.uris()))) {
            Lease x = take(locks, LockRequest.of("x"));
            Lease y = take(locks, LockRequest.semaphore("y", 1));
            Sight before = Sight.of(operations, ALL, Sight.NONE);
            Sight some = Sight.of(operations, 1, before);
            assertThat(locksOf(some.changesSince(before)))
                    .singleElement()
                    .asString()
                    .startsWith("locks are more than ");
            x.release();
            y.release();
            Sight all = Sight.of(operations, ALL, some);
            assertThat(locksOf(all.changesSince(some)))
                    .anyMatch("lock 'x' free"::equals)
                    .anyMatch("semaphore 'y' free"::equals)
                    .anyMatch("locks can all be seen"::equals);
        }
    }

    /** Of an earlier sight so many locks are kept as can be listed at once. */
    @Test
    void sight_thatHasNoRoomForWhatWasKnown_callsNoneOfThatFree() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()));
                LockOperations operations = Holdfast.operate(settings(redis.uris()))) {
            take(locks, LockRequest.of("x"));
            take(locks, LockRequest.of("y"));
            Sight full = Sight.of(operations, ALL, Sight.NONE);
            for (int i = 0; i < LockOperations.MAX_LISTED; i++) {
                full.facts().put("lock 'n" + i + "'", "held by a process");
            }
            Sight some = Sight.of(operations, 1, full);
            assertThat(some.facts()).doesNotContainKey("lock 'y'");
            assertThat(locksOf(some.changesSince(full)))
                    .singleElement()
                    .asString()
                    .startsWith("locks are more than ");
        }
    }

    @Test
    void names_thatMoveCursorsAndForgeLines_areMaskedInWhatFailed() {
        String evil = "evil\u001b[2J\nHF0214: forged";
        shell.set("HOLDFAST_NODES", "redis://127.0.0.1:1");
        for (String command : List.of("holders", "waiters")) {
            assertThat(shell.run(command, evil)).isEqualTo(Main.UNAVAILABLE);
            assertThat(shell.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("HF0202")
                    .contains("'evil?[2J?HF0214: forged'");
        }
        assertThat(shell.run("release", evil, "--token", "x\u001b[2J", "--reason", "a test"))
                .isEqualTo(Main.USAGE);
        assertThat(shell.err()).doesNotContain("\u001b").contains("x?[2J").contains("Usage: holdfast release");
        shell.set("HOLDFAST_NODES", "redis://\u001b[2J\nHF0214: forged");
        assertThat(shell.run("nodes")).isEqualTo(Main.USAGE);
        assertThat(shell.err()).doesNotContain("\u001b");
        assertThat(shell.err().lines()).hasSize(1);
    }

    @Test
    void locks_thatFail_showNoNameThatMovesCursors() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()))) {
            take(locks, LockRequest.of("evil\u001b[2J\nHF0214: forged"));
            for (RedisServer node : redis.all()) {
                node.command("ACL SETUSER default -pubsub");
            }
            for (String[] command :
                    List.of(new String[] {"locks"}, new String[] {"watch", "--for", "PT0.1S", "--every", "PT0.2S"})) {
                assertThat(shell.run(command)).isEqualTo(Main.REFUSED);
                assertThat(shell.err().lines()).singleElement().asString().startsWith("HF0316");
                assertThat(shell.err()).doesNotContain("\u001b").contains("evil?[2J?HF0214");
            }
        } finally {
            for (RedisServer node : redis.all()) {
                node.command("ACL SETUSER default +pubsub");
            }
        }
    }

    @Test
    void sight_ofALockAndASemaphoreWithOneName_hasBoth() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings(redis.uris()));
                LockOperations operations = Holdfast.operate(settings(redis.uris()))) {
            take(locks, LockRequest.of("z' free"));
            take(locks, LockRequest.semaphore("z' free", 1));
            assertThat(Sight.of(operations, ALL, Sight.NONE).facts())
                    .containsKeys("lock 'z\\' free'", "semaphore 'z\\' free'");
        }
    }
}
