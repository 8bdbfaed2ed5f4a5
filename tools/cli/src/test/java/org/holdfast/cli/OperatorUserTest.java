// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator that docs/operations.md describes can do everything, on a guarded node; one permission less is told. */
@Timeout(120)
class OperatorUserTest {

    private static final String LONGEST_TTL = "4000";

    private static RedisServers redis;
    private static LockConnectionFactory locks;
    private static LockConnection connection;

    private final Shell shell = new Shell(redis.uris());

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServers.start(1);
        locks = Holdfast.connect(
                Map.of("nodes", redis.uris(), "maxLeaseTtlMillis", LONGEST_TTL, "nodeTimeoutMillis", "2000"));
        connection = locks.getConnection();
        take(LockRequest.of("first"));
    }

    @AfterAll
    static void stop() {
        locks.close();
        redis.close();
    }

    private static Lease take(LockRequest request) throws Exception {
        return connection.acquire(request.detached().waitTimeout(ofSeconds(30)));
    }

    /** The words of the one line that begins with ACL SETUSER operator, behind the name. */
    static List<String> rules() throws Exception {
        String begin = "ACL SETUSER operator ";
        return Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(line -> line.startsWith(begin))
                .map(line -> List.of(line.substring(begin.length()).split(" ")))
                .findFirst()
                .orElseThrow();
    }

    private void become(String user, String... without) throws Exception {
        List<String> words = new ArrayList<>(rules());
        words.removeAll(Arrays.asList(without));
        redis.get(0).command("ACL SETUSER " + user + " " + String.join(" ", words));
        shell.set("HOLDFAST_GUARD", "QUARANTINE");
        shell.set("HOLDFAST_MAX_LEASE_TTL_MILLIS", LONGEST_TTL);
        shell.set("HOLDFAST_USER", user);
        shell.set("HOLDFAST_PASSWORD", "secret");
        redis.get(0).command("ACL LOG RESET");
    }

    private void works(String... words) {
        assertThat(shell.run(words))
                .as(String.join(" ", words) + ": " + shell.out() + shell.err())
                .isZero();
    }

    private void releases(LockRequest request, boolean byToken) throws Exception {
        Lease lease = take(request);
        List<String> words = new ArrayList<>(List.of("release", request.name(), "--reason", "a test"));
        if (byToken) {
            words.addAll(List.of("--token", "" + lease.token()));
        }
        if (request.permits() > 0) {
            words.addAll(List.of("--permits", "" + request.permits()));
        }
        works(words.toArray(String[]::new));
        assertThat(shell.out()).contains("" + lease.token());
    }

    @Test
    void operator_withTheDocumentedUser_canDoEverything() throws Exception {
        become("operator");
        works("nodes", "--patience", "PT20S");
        works("locks");
        works("locks", "--hot");
        works("holders", "first");
        works("waiters", "first");
        works("watch", "--for", "PT0.3S", "--every", "PT0.2S");
        for (boolean byToken : new boolean[] {false, true}) {
            releases(LockRequest.of("a"), byToken);
            releases(LockRequest.of("a").fair(true), byToken);
            releases(LockRequest.of("r").mode(LockMode.READ), byToken);
            releases(LockRequest.of("w").mode(LockMode.WRITE), byToken);
            releases(LockRequest.semaphore("p", 2), byToken);
        }
        Lease other = take(LockRequest.of("two").mode(LockMode.READ));
        releases(LockRequest.of("two").mode(LockMode.READ), true);
        assertThat(other.renew()).as("the lease of the other reader").isTrue();
        works("release", "two", "--reason", "the other reader");
        assertThat(shell.run("release", "two", "--reason", "has ended")).isEqualTo(Main.NOTHING_RELEASED);
        assertThat(redis.get(0).command("ACL LOG"))
                .as("what the documented user was refused")
                .doesNotContain("operator");
    }

    /** What a look needs. A release needs more, and is not begun without a look. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "+getrange",
                "+pttl",
                "+eval",
                "+evalsha",
                "+time",
                "+info",
                "+get",
                "+scan",
                "+zcard",
                "+pubsub",
                "~holdfast:*"
            })
    void operator_withoutAPermissionToLook_isRefusedAndToldWhich(String permission) throws Exception {
        String name = "less" + permission.replaceAll("\\W", "");
        become(name, permission);
        Lease lease = take(LockRequest.of(name));
        if (!permission.equals("+evalsha")) { // a look at few locks sends the source of its script
            assertThat(shell.run("locks")).as(shell.err()).isEqualTo(Main.REFUSED);
            assertThat(shell.err()).startsWith("HF0316").contains(redis.get(0).uri());
        }
        if (!List.of("+scan", "+zcard", "+pubsub").contains(permission)) {
            assertThat(shell.run("release", name, "--reason", "a test"))
                    .as(shell.err())
                    .isEqualTo(Main.REFUSED);
            assertThat(shell.err()).startsWith("HF0316").doesNotContain("may have been released");
        }
        assertThat(lease.renew()).isTrue();
        lease.release();
    }

    @Test
    void operator_withoutTheRightToSeeReaders_isRefused() throws Exception {
        become("lessreaders", "+zrangebyscore");
        Lease lease = take(LockRequest.of("read").mode(LockMode.READ));
        for (String[] command : new String[][] {{"locks"}, {"holders", "read"}, {"release", "read", "--reason", "x"}}) {
            assertThat(shell.run(command)).as(shell.err()).isEqualTo(Main.REFUSED);
            assertThat(shell.err()).startsWith("HF0316");
        }
        lease.release();
    }

    @Test
    void operator_whoseSettingsAreNotThoseOfTheApplications_isToldSoByTheExitCode() throws Exception {
        become("operator");
        shell.set("HOLDFAST_MAX_LEASE_TTL_MILLIS", "5000");
        for (String[] command : new String[][] {{"nodes"}, {"locks"}, {"holders", "first"}}) {
            assertThat(shell.run(command)).as(shell.err()).isEqualTo(Main.USAGE);
            assertThat(shell.out() + shell.err()).contains("maxLeaseTtlMillis=4000", "maxLeaseTtlMillis=5000");
        }
    }
}
