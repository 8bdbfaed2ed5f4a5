// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How Sentinels are entered, and what they may name. */
@Timeout(60)
class SentinelAccessTest {

    private static final Path FILES = Path.of("target", "redis");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T opened(T what) {
        open.add(what);
        return what;
    }

    /** Starts three Sentinels that do not know each other yet, and returns their addresses. */
    private String sentinels(String... lines) {
        List<RedisServer> sentinels = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sentinels.add(opened(RedisServer.startSentinel(FILES, lines)));
        }
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(","));
    }

    /** The first answer of a Sentinel may take longer than a node timeout, on a busy machine. */
    private void assertReported(Map<String, String> settings, String... parts) {
        LockConnectionFactory locks = opened(Holdfast.connect(settings));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(locks.check().toString()).contains(parts));
    }

    /** By then it may be in quarantine. */
    private void assertAsked(Map<String, String> settings) {
        LockConnectionFactory locks = opened(Holdfast.connect(settings));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(locks.check().toString())
                .containsPattern("it is asked in|in quarantine"));
    }

    private static Map<String, String> settings(String nodes) {
        return Map.of("nodes", nodes, "nodeTimeoutMillis", "900");
    }

    private RedisServer primary() {
        return opened(RedisServer.start(FILES));
    }

    @Test
    void userOfSentinels_withTheRightsOfTheDocumentation_isEnough() throws Exception {
        RedisServer primary = primary();
        assumeTrue(!isOld(primary), "Sentinel has no users before Redis 6.2");
        String sentinels = sentinels(
                "sentinel monitor locks 127.0.0.1 " + primary.port() + " 2",
                "user default off",
                "user locks on >secret +sentinel|get-master-addr-by-name +sentinel|master +sentinel|replicas +sentinel|sentinels +sentinel|myid +info +client|setname +auth",
                "user blind on >secret +info +client|setname +auth");
        String asked = "redis+sentinel://" + sentinels + "/locks?sentinelPassword=secret&sentinelUser=";
        assertAsked(settings(asked + "locks"));
        assertReported(settings(asked + "blind"), "NOPERM");
    }

    @Test
    void primary_thatIsNamedByItsHostName_isAsked() throws Exception {
        RedisServer primary = primary();
        assumeTrue(!isOld(primary), "Sentinel names no host names before Redis 6.2");
        String sentinels = sentinels(
                "sentinel resolve-hostnames yes",
                "sentinel announce-hostnames yes",
                "sentinel monitor locks localhost " + primary.port() + " 2");
        assertAsked(settings("redis+sentinel://" + sentinels + "/locks"));
    }

    private static boolean isOld(RedisServer server) throws IOException {
        return server.command("INFO server").contains("redis_version:6.0");
    }

    @Test
    void sentinelsAndPrimary_thatAreEncrypted_areBothEnteredByTls(@TempDir Path directory) throws Exception {
        Certificates authority = Certificates.in(directory);
        authority.writePem(authority.issue("node", "ip:127.0.0.1"), "node", directory);
        int primary = FreePort.find();
        List<String> options = new ArrayList<>();
        tls(primary, directory).forEach((name, value) -> options.addAll(List.of("--" + name, value)));
        opened(RedisServer.start(FILES, options.toArray(String[]::new)));
        String sentinels = IntStream.range(0, 3)
                .map(i -> FreePort.find())
                .peek(port -> opened(RedisServer.startSentinel(FILES, sentinelLines(port, primary, directory))))
                .mapToObj(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(","));
        Map<String, String> settings = Map.of(
                "nodes",
                "rediss+sentinel://" + sentinels + "/locks",
                "nodeTimeoutMillis",
                "900",
                "trustStore",
                authority.trustStore().toString(),
                "trustStorePassword",
                Certificates.PASSWORD);
        assertAsked(settings);
    }

    private static Map<String, String> tls(int port, Path pem) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("tls-port", Integer.toString(port));
        options.put("tls-cert-file", pem.resolve("cert.pem").toString());
        options.put("tls-key-file", pem.resolve("key.pem").toString());
        options.put("tls-ca-cert-file", pem.resolve("ca.pem").toString());
        options.put("tls-auth-clients", "no");
        options.put("tls-replication", "yes");
        return options;
    }

    private static String[] sentinelLines(int port, int primary, Path pem) {
        List<String> lines = new ArrayList<>();
        tls(port, pem).forEach((name, value) -> lines.add(name + " " + value));
        lines.add("sentinel monitor locks 127.0.0.1 " + primary + " 2");
        return lines.toArray(String[]::new);
    }

    @Test
    void primary_atAnAddressThatClientsCannotReach_isNamedInTheReport() {
        RedisServer primary = opened(RedisServer.start(FILES));
        String sentinels = sentinels("sentinel monitor locks 127.0.0.1 " + primary.port() + " 2");
        Map<String, String> settings = settings("redis+sentinel://" + sentinels + "/locks");
        LockConnectionFactory locks = opened(Holdfast.connect(settings));
        await().atMost(PATIENCE).until(() -> locks.check().toString().contains("quarantine")); // they have found it
        primary.kill();
        assertReported(settings, "Connection refused", "(its Sentinels name 127.0.0.1:" + primary.port() + ")");
    }

    @Test
    void primary_thatSentinelsDoNotReach_isReportedAsOneOfWhichTheProcessIsNotKnown() {
        int nowhere = FreePort.find();
        String sentinels = sentinels("sentinel monitor locks 127.0.0.1 " + nowhere + " 2");
        assertReported(
                settings("redis+sentinel://" + sentinels + "/locks"),
                "names 127.0.0.1:" + nowhere + " in epoch 0",
                "has not found out which process is there");
    }
}
