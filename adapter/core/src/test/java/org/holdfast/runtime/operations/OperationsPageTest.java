// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.TlsFront;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of docs/operations.md do what it says, as they stand there. That for a Redis user is
 * LeastPrivilegeTest's, and those for one of a cluster are ClusterAccessTest's.
 */
@Timeout(120)
class OperationsPageTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "operations.md");

    /** A fence: what is in it, and which it is, if it says so. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\S*)(?: (\\S+))?\\n(.*?)^```$");

    private static final String ACL = "ACL SETUSER";
    private static final String ACL_OF_CLUSTERS = "ACL SETUSER holdfast +cluster";

    /** These two are run by the tests of the command line. */
    private static final String ACL_OF_OPERATORS = "ACL SETUSER operator";

    private static final String COMMAND_LINE = "command-line";
    private static final String TRUST_STORE = "trust-store";
    private static final String KEY_STORE = "key-store";
    private static final String RECORD = "record";
    private static final String LOOK = "look";

    @TempDir
    private Path directory;

    private static Map<String, String> blocks() throws IOException {
        Map<String, String> blocks = new HashMap<>();
        for (MatchResult found : BLOCK.matcher(Files.readString(PAGE)).results().toList()) {
            String text = found.group(3);
            String user = Stream.of(ACL_OF_CLUSTERS, ACL_OF_OPERATORS)
                    .filter(text::startsWith)
                    .findFirst()
                    .orElse(ACL);
            String id = text.startsWith(ACL) ? user : Objects.requireNonNullElse(found.group(2), text);
            assertThat(blocks.put(id, text)).as("two blocks '%s'", id).isNull();
        }
        return blocks;
    }

    /** Runs the block in the directory of the test, with the tools of this JDK; one that is missing is a failure. */
    private String run(String id, String placeholder, String value) throws Exception {
        String commands = blocks().get(id).replace(placeholder, value).replace("/tmp/", directory + "/");
        ProcessBuilder builder = new ProcessBuilder("sh", "-e", "-c", commands).directory(directory.toFile());
        builder.environment()
                .merge(
                        "PATH",
                        "",
                        (path, none) -> System.getProperty("java.home") + "/bin" + File.pathSeparator + path);
        Process shell = builder.redirectErrorStream(true).start();
        String said = new String(shell.getInputStream().readAllBytes());
        assertThat(shell.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void blocks_ofThePage_areRunByATest() throws Exception {
        assertThat(blocks())
                .containsOnlyKeys(
                        ACL, ACL_OF_CLUSTERS, ACL_OF_OPERATORS, TRUST_STORE, KEY_STORE, RECORD, LOOK, COMMAND_LINE);
    }

    @Test
    void stores_thatAreMadeAsItSays_openANodeThatWantsACertificate() throws Exception {
        Certificates authority = Certificates.in(directory.resolve("authority"));
        authority.writePem(authority.issue("client", "dns:client"), "client", directory);
        Files.move(directory.resolve("cert.pem"), directory.resolve("client.pem"));
        Files.move(directory.resolve("key.pem"), directory.resolve("client.key"));
        run(TRUST_STORE, "<password>", "0f-trust");
        run(KEY_STORE, "<password>", "0f-keys");
        Path ofNode = authority.issue("node", "dns:localhost");
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                TlsFront front = TlsFront.start(redis.port(), ofNode, authority.trustStore());
                LockConnectionFactory locks = Holdfast.connect(Map.of(
                        "nodes",
                        "rediss://localhost:" + front.port(),
                        "guard",
                        "OFF",
                        "nodeTimeoutMillis",
                        "5000",
                        "trustStore",
                        directory.resolve("trust.p12").toString(),
                        "trustStorePassword",
                        "0f-trust",
                        "keyStore",
                        directory.resolve("client.p12").toString(),
                        "keyStorePassword",
                        "0f-keys"));
                LockConnection connection = locks.getConnection()) {
            connection.acquire("tls").release();
            assertThat(front.admitted()).isPositive();
        }
    }

    @Test
    void recording_thatIsMadeAsItSays_tellsWhoAskedForALock() throws Exception {
        String pid = Long.toString(ProcessHandle.current().pid());
        try (Processes processes = Processes.start(1, 1, Map.of())) {
            run(RECORD, "<pid>", pid);
            processes.connection(0).acquire("order-42").release();
        }
        assertThat(run(LOOK, "<pid>", pid))
                .contains("org.holdfast.Acquire ", "name = \"order-42\"", "outcome = \"HELD\"")
                .contains(OperationsPageTest.class.getSimpleName() + ".recording_");
    }
}
