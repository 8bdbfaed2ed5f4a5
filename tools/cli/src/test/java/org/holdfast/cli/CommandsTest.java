// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Options, settings and exit codes, on three real nodes that are used without a guard. */
@Timeout(60)
class CommandsTest {

    private static RedisServers redis;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Map<String, String> environment = new HashMap<>();

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    CommandsTest() {
        environment.put("HOLDFAST_NODES", redis.uris());
        environment.put("HOLDFAST_GUARD", "OFF");
        environment.put("HOLDFAST_NODE_TIMEOUT_MILLIS", "2000");
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(environment, new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    private static Map<String, String> settings() {
        return Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "2000");
    }

    private static Lease take(LockConnectionFactory locks, LockRequest request) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            return connection.acquire(request.detached().waitTimeout(ofSeconds(20)));
        }
    }

    @Test
    void help_namesEachCommandAndTheExitCodes() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("nodes", "locks", "holders", "waiters", "release", "watch", "HOLDFAST_NODES", "Exit codes")
                .contains("4 too few nodes confirmed a release");
        assertThat(run("release", "--help")).isZero();
        assertThat(out.toString()).contains("--reason=TEXT").contains("then two work");
    }

    @Test
    void commands_thatAreWrong_areUsageErrors() {
        assertThat(run("loks")).isEqualTo(Main.USAGE);
        assertThat(run("release", "a")).isEqualTo(Main.USAGE);
        assertThat(err.toString()).contains("--reason");
        assertThat(run("release", "a", "--reason", " ")).isEqualTo(Main.USAGE);
        assertThat(run("release", "a", "--reason", "x".repeat(201))).isEqualTo(Main.USAGE);
        assertThat(err.toString()).contains("1 to 200 characters", "it had 201");
        assertThat(run("locks", "--limit", "0")).isEqualTo(Main.USAGE);
        assertThat(err.toString()).contains("the limit must be 1 to 10000, was 0");
        assertThat(run("watch", "--every", "PT0.1S")).isEqualTo(Main.USAGE);
        environment.put("HOLDFAST_GUARD", "perhaps");
        assertThat(run("nodes")).isEqualTo(Main.USAGE);
        assertThat(err.toString())
                .contains("HF0101", "guard must be", "perhaps")
                .doesNotContain("\tat ");
    }

    @Test
    void password_onTheCommandLine_isRefusedAndNotRepeated() {
        for (String nodes : new String[] {"redis://:secret@a:1", "redis://b:2,rediss://ada:secret@a:1"}) {
            assertThat(run("nodes", "--nodes", nodes)).isEqualTo(Main.USAGE);
            assertThat(err.toString()).contains("HOLDFAST_PASSWORD_FILE").doesNotContain("secret");
        }
    }

    @Test
    void settings_ofTheFile_comeBeforeTheEnvironment_andOptionsBeforeBoth(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("holdfast.properties");
        Files.writeString(file, "nodes=redis://127.0.0.1:2\n");
        assertThat(run("nodes", "--settings", file.toString())).isEqualTo(Main.UNAVAILABLE);
        assertThat(out.toString())
                .contains("redis://127.0.0.1:2")
                .doesNotContain(redis.get(0).uri());
        assertThat(run("nodes", "--settings", file.toString(), "--nodes", redis.uris()))
                .isZero();
        assertThat(run("nodes", "--settings", directory.resolve("none").toString()))
                .isEqualTo(Main.USAGE);
        Files.writeString(file, "nods=redis://127.0.0.1:2\n");
        assertThat(run("nodes", "--settings", file.toString())).isEqualTo(Main.USAGE);
        assertThat(err.toString()).contains("nods");
    }

    @Test
    void nodes_thatCannotBeUsed_areAnotherExitCode() {
        assertThat(run("nodes")).isZero();
        assertThat(out.toString().lines().skip(1)).hasSize(3).allMatch(line -> line.contains("VOTES"));
        environment.put("HOLDFAST_NODES", redis.get(0).uri() + ",redis://127.0.0.1:1,redis://127.0.0.1:2");
        assertThat(run("nodes")).isEqualTo(Main.UNAVAILABLE);
        assertThat(out.toString()).contains("VOTES", "UNUSABLE");
        assertThat(run("locks", "--patience", "PT0.7S")).isEqualTo(Main.UNAVAILABLE);
        assertThat(err.toString()).startsWith("HF0202").doesNotContain("\tat ");
    }

    @Test
    void semaphore_ofWhichPermitsAreHeld_isShownAndReleased() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            Lease one = take(locks, LockRequest.semaphore("s", 3));
            Lease two = take(locks, LockRequest.semaphore("s", 3));
            assertThat(run("holders", "s", "--permits", "3")).isZero();
            assertThat(out.toString()).contains("PERMIT", "" + one.token(), "" + two.token());
            assertThat(run("release", "s", "--reason", "both hang")).isEqualTo(Main.NOTHING_RELEASED);
            assertThat(out.toString())
                    .contains("No holder had the lock 's'. If nodes kept something of a lease that had ended, it was"
                            + " removed. For a semaphore of that name, add --permits.");
            assertThat(run("release", "s", "--permits", "3", "--reason", "both hang"))
                    .isZero();
            assertThat(out.toString()).contains(" 3 of 3 ");
            assertThat(run("release", "s", "--permits", "3", "--reason", "both hang"))
                    .isEqualTo(Main.NOTHING_RELEASED);
            assertThat(out.toString())
                    .contains("first 3 permits of the semaphore 's'")
                    .doesNotContain("--permits");
        }
    }

    @Test
    void reason_ofTheGreatestLength_isInTheAuditToItsEnd() throws Exception {
        List<String> audit = new CopyOnWriteArrayList<>();
        Handler handler = collecting(audit);
        Logger logger = Logger.getLogger("org.holdfast.audit");
        logger.addHandler(handler);
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            take(locks, LockRequest.of("r"));
            assertThat(run("release", "r", "--reason", "x".repeat(199) + "z")).isZero();
            assertThat(audit)
                    .hasSize(2)
                    .allMatch(line -> line.contains("of the command line: " + "x".repeat(199) + "z'"));
        } finally {
            logger.removeHandler(handler);
        }
    }

    /** The words of the one line that begins with ACL SETUSER operator. */
    private static String rules() throws Exception {
        return Files.readAllLines(Path.of("..", "..", "docs", "operations.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER operator "))
                .findFirst()
                .orElseThrow();
    }

    /** Without the right to SET the script has deleted the lock when it is refused. */
    @Test
    void release_thatMayHaveBeenDone_isNotRepeated_andIsAnotherExitCode() throws Exception {
        for (RedisServer node : redis.all()) {
            node.command(rules().replace("operator", "noset").replace(" +set", ""));
        }
        environment.put("HOLDFAST_USER", "noset");
        environment.put("HOLDFAST_PASSWORD", "secret");
        List<String> audit = new CopyOnWriteArrayList<>();
        Handler handler = collecting(audit);
        Logger logger = Logger.getLogger("org.holdfast.audit");
        logger.addHandler(handler);
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            take(locks, LockRequest.of("m"));
            assertThat(run("release", "m", "--reason", "hangs", "--patience", "PT2S"))
                    .isEqualTo(ReleaseCommand.PERHAPS_RELEASED);
            assertThat(err.toString()).startsWith("HF0202").contains("The lock may have been released");
            assertThat(audit.stream().filter(line -> line.contains("on some nodes perhaps")))
                    .as("how often it was tried")
                    .hasSize(1);
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void release_byAUserThatMayNotPublish_isDoneAndReported() throws Exception {
        for (RedisServer node : redis.all()) {
            node.command(rules().replace("operator", "quiet").replace(" +publish", ""));
        }
        environment.put("HOLDFAST_USER", "quiet");
        environment.put("HOLDFAST_PASSWORD", "secret");
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            Lease lease = take(locks, LockRequest.of("q"));
            assertThat(run("release", "q", "--reason", "hangs"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("" + lease.token());
        }
    }

    @Test
    void release_ofAHolderThatHasGone_leavesTheNextOne() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            Lease former = take(locks, LockRequest.of("t"));
            former.release();
            Lease next = take(locks, LockRequest.of("t"));
            assertThat(run("release", "t", "--token", "" + former.token(), "--reason", "hangs"))
                    .isEqualTo(Main.NOTHING_RELEASED);
            assertThat(out.toString()).contains("No holder with token " + former.token() + " had the lock 't'.");
            assertThat(next.renew()).isTrue();
            assertThat(run("release", "t", "--token", "" + next.token(), "--reason", "hangs"))
                    .isZero();
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(next::renew);
            assertThat(run("release", "t", "--token", "0", "--reason", "hangs")).isEqualTo(Main.USAGE);
        }
    }

    private static Handler collecting(List<String> lines) {
        return new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    @Test
    void commands_ofThePage_areUnderstood() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            take(locks, LockRequest.of("order-42"));
            String page = Files.readString(Path.of("..", "..", "docs", "operations.md"));
            List<String> lines = page.lines()
                    .filter(line -> line.startsWith("java -jar holdfast-cli.jar "))
                    .toList();
            assertThat(lines).hasSize(3);
            for (String line : lines) {
                String[] words = Pattern.compile("\"([^\"]*)\"|(\\S+)")
                        .matcher(line.substring("java -jar holdfast-cli.jar ".length()))
                        .results()
                        .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                        .toArray(String[]::new);
                assertThat(run(words)).as(line + ": " + err).isZero();
            }
        }
    }

    @Test
    void watch_thatHasAnEnd_showsWhatIsThereOnce() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(settings())) {
            Lease lease = take(locks, LockRequest.of("w"));
            assertThat(run("watch", "--every", "PT0.2S", "--for", "PT0.5S")).isZero();
            assertThat(out.toString().lines().filter(line -> line.contains("lock 'w' held by")))
                    .singleElement()
                    .asString()
                    .contains("with token " + lease.token());
            assertThat(out.toString().lines().filter(line -> line.endsWith(" votes")))
                    .hasSize(3);
            lease.release();
        }
    }
}
