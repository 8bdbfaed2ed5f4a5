// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.security;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.Holdfast;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.TlsFront;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes behind TLS: which clients are let in, and what is reported where one is not. */
@Timeout(120)
class TlsTest {

    private static final String BOTH = "dns:localhost,ip:127.0.0.1";

    @TempDir
    private static Path directory;

    private static RedisServer redis;
    private static Certificates authority;
    private static Path ofNode;
    private static Path ofClient;
    private static Path trust;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.start(Path.of("target", "redis"));
        authority = Certificates.in(directory.resolve("authority"));
        trust = authority.trustStore();
        ofNode = authority.issue("node", BOTH);
        ofClient = authority.issue("client", "dns:client");
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static Map<String, String> settings(int port, String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "nodes",
                "rediss://localhost:" + port,
                "guard",
                "OFF",
                "nodeTimeoutMillis",
                "5000",
                "trustStore",
                trust.toString(),
                "trustStorePassword",
                Certificates.PASSWORD));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private static Map<String, String> withKey(Map<String, String> settings, Path store) {
        settings.put("keyStore", store.toString());
        settings.put("keyStorePassword", Certificates.PASSWORD);
        return settings;
    }

    private static void acquire(Map<String, String> settings) throws InterruptedException {
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            connection.acquire(LockRequest.of("tls").waitTimeout(ofMillis(500))).release();
        }
    }

    private static void assertRefused(ThrowingCallable call, String address, String reason) {
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.getMessage()).contains(address).contains(reason));
    }

    @ParameterizedTest
    @CsvSource({"localhost", "127.0.0.1"})
    void certificate_ofTheHost_isAccepted(String host) throws Exception {
        try (TlsFront front = TlsFront.start(redis.port(), ofNode, null)) {
            acquire(settings(front.port(), "nodes", "rediss://" + host + ":" + front.port()));
            assertThat(front.admitted()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, dns:elsewhere.example",
        "localhost, ip:127.0.0.1",
        "127.0.0.1, dns:localhost",
        "127.0.0.1, ip:127.0.0.2"
    })
    void certificate_ofAnotherHost_isRefusedUnlessNamesDoNotMatter(String host, String names) throws Exception {
        Path other = authority.issue("other-" + host + names.hashCode(), names);
        try (TlsFront front = TlsFront.start(redis.port(), other, null)) {
            String address = "rediss://" + host + ":" + front.port();
            assertRefused(
                    () -> acquire(settings(front.port(), "nodes", address)),
                    address,
                    "its certificate is not for the host " + host + ": No ");
            acquire(settings(front.port(), "nodes", address, "verifyHostName", "false"));
        }
    }

    @Test
    void certificate_ofAnotherAuthority_isRefused() throws Exception {
        Path foreign = Certificates.in(directory.resolve("foreign")).issue("foreign", BOTH);
        try (TlsFront front = TlsFront.start(redis.port(), foreign, null)) {
            assertRefused(
                    () -> acquire(settings(front.port())),
                    "rediss://localhost:" + front.port(),
                    "its certificate is not trusted");
            assertThat(front.admitted()).isZero();
        }
    }

    /** By default Java trusts what public authorities have issued, and not ours. */
    @Test
    void certificate_withoutATrustStore_isRefusedByTheTrustOfTheJvm() throws Exception {
        try (TlsFront front = TlsFront.start(redis.port(), ofNode, null)) {
            Map<String, String> settings = settings(front.port());
            settings.keySet().removeIf(name -> name.startsWith("trustStore"));
            assertRefused(() -> acquire(settings), "rediss://localhost", "its certificate is not trusted");
        }
    }

    @Test
    void certificate_thatHasExpired_isRefused() throws Exception {
        Path expired = authority.issue("expired", BOTH, "-startdate", "-2d", "-validity", "1");
        try (TlsFront front = TlsFront.start(redis.port(), expired, null)) {
            assertRefused(
                    () -> acquire(settings(front.port())),
                    "rediss://localhost:" + front.port(),
                    "its certificate is not in force");
            Path itself = authority.trustStore(expired, "expired");
            assertRefused(
                    () -> acquire(settings(front.port(), "trustStore", itself.toString())),
                    "rediss://localhost:" + front.port(),
                    "its certificate is not in force");
        }
    }

    @Test
    void node_withoutTls_isRefused() {
        assertRefused(
                () -> acquire(settings(redis.port(), "nodeTimeoutMillis", "300")),
                "rediss://localhost:" + redis.port(),
                "there is no TLS with it");
    }

    @Test
    void node_thatWantsACertificate_letsInWhoHasOne() throws Exception {
        try (TlsFront front = TlsFront.start(redis.port(), ofNode, trust)) {
            acquire(withKey(settings(front.port()), ofClient));
            assertThat(front.admitted()).isPositive();
        }
    }

    @Test
    void node_thatWantsACertificate_letsNobodyElseIn() throws Exception {
        Path foreign = Certificates.in(directory.resolve("foreign-client")).issue("client", "dns:client");
        try (TlsFront front = TlsFront.start(redis.port(), ofNode, trust)) {
            assertRefused(() -> acquire(settings(front.port())), "rediss://localhost:" + front.port(), "TLS");
            assertRefused(() -> acquire(withKey(settings(front.port()), foreign)), "rediss://localhost", "TLS");
            assertThat(front.admitted()).isZero();
        }
    }

    /** Every connection: of callers, for renewals, to receive releases, and to look at the node. */
    @Test
    void everything_thatIsSaid_goesThroughTls() throws Exception {
        try (TlsFront front = TlsFront.start(redis.port(), ofNode, null);
                LockConnectionFactory locks = Holdfast.connect(settings(
                        front.port(),
                        "ttlMillis",
                        "3000",
                        "maxLeaseTtlMillis",
                        "3000",
                        "nodeTimeoutMillis",
                        "1500",
                        "guard",
                        "QUARANTINE"));
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("all").detached());
            FutureTask<Lease> waiter = Processes.start(() -> connection.acquire(
                    LockRequest.of("all").waitTimeout(ofSeconds(20)).detached()));
            await().until(() -> redis.command("PUBSUB CHANNELS holdfast:*all*").contains("released"));
            await().atMost(ofSeconds(30)).until(() -> connections() >= 4);
            assertThat(front.admitted()).isGreaterThanOrEqualTo(4);
            assertThat(lease.isHeld()).isTrue();
            lease.release();
            waiter.get().release();
        }
    }

    private static long connections() throws Exception {
        return redis.command("CLIENT LIST")
                .lines()
                .filter(line -> line.contains("name=holdfast"))
                .count();
    }

    @ParameterizedTest
    @CsvSource({
        "trustStorePassword, wrong-s3cret, trustStorePassword does not open",
        "keyStorePassword, wrong-s3cret, keyStorePassword does not open",
        "trustStore, /no/such/store.p12, trustStore '/no/such/store.p12' cannot be read: there is no such file",
        "keyStore, /no/such/store.p12, keyStore '/no/such/store.p12' cannot be read: there is no such file",
        "trustStoreType, nonsense, 'trustStoreType must be one that this JVM knows, such as PKCS12 or JKS, was ''nonsense'''",
        "keyStoreType, nonsense, keyStoreType must be one that this JVM knows",
        "nodes, redis://localhost, 'trustStore is for TLS, and no address in nodes begins with rediss://'",
        "verifyHostName, perhaps, 'verifyHostName must be true or false, was ''perhaps'''",
    })
    void setting_thatIsWrong_isRefusedAtTheStart(String name, String value, String message) {
        Map<String, String> settings = withKey(settings(1), ofClient);
        settings.put(name, value);
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings))
                .withMessageContaining(message)
                .withMessageNotContaining("s3cret")
                .withMessageNotContaining(Certificates.PASSWORD);
    }

    @Test
    void stores_thatAreNoneOrHoldTheWrongThings_areAllNamed() throws Exception {
        Path nonsense = Files.writeString(directory.resolve("nonsense.p12"), "no store");
        Map<String, String> settings = withKey(settings(1, "trustStore", nonsense.toString()), trust);
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings))
                .withMessageContaining("trustStore '" + nonsense + "' cannot be read as PKCS12")
                .withMessageContaining("keyStore '" + trust + "' holds no private key");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings(1, "trustStore", ofClient.toString())))
                .withMessageContaining("trustStore '" + ofClient + "' holds no certificate that Java would trust");
        settings.keySet().removeAll(List.of("trustStore", "keyStore"));
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings))
                .withMessageContaining("trustStoreType and trustStorePassword need a trustStore")
                .withMessageContaining("keyStoreType and keyStorePassword need a keyStore");
    }

    @Test
    void certificates_thatAreReplaced_areUsedByTheNextConnection() throws Exception {
        Certificates next = Certificates.in(directory.resolve("next"));
        Path trusted = Files.copy(trust, directory.resolve("rotated-trust.p12"));
        Path shown = Files.copy(ofClient, directory.resolve("rotated-key.p12"));
        Map<String, String> settings = withKey(settings(1), shown);
        settings.put("trustStore", trusted.toString());
        TlsFront before = TlsFront.start(redis.port(), ofNode, trust);
        settings.put("nodes", "rediss://localhost:" + before.port());
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("rotated");
            Path ofNextNode = next.issue("node", BOTH);
            replace(trusted, next.trustStore());
            replace(shown, next.issue("client", "dns:client"));
            before.close();
            try (TlsFront after = TlsFront.start(before.port(), redis.port(), ofNextNode, next.trustStore())) {
                await().until(lease::renew);
                connection.acquire("another").release();
                assertThat(after.admitted()).isPositive();
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }

    private static void replace(Path path, Path by) throws Exception {
        Path beside = Files.copy(by, path.resolveSibling(path.getFileName() + ".new"));
        Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** As Redis speaks it itself, where it was built with TLS. */
    @Test
    void redis_thatSpeaksTlsItself_isUnderstood() throws Exception {
        int port = FreePort.find();
        Path home = Files.createDirectories(directory.resolve("tls-redis"));
        authority.writePem(ofNode, "node", home);
        try (RedisServer own = startWithTls(port, home)) {
            acquire(withKey(settings(port), ofClient));
            assertRefused(() -> acquire(settings(port)), "rediss://localhost:" + port, "TLS");
            assertThat(own.isAlive()).isTrue();
        }
    }

    private static RedisServer startWithTls(int port, Path home) {
        try {
            return RedisServer.start(
                    home,
                    "--tls-port",
                    Integer.toString(port),
                    "--tls-cert-file",
                    home.resolve("cert.pem").toString(),
                    "--tls-key-file",
                    home.resolve("key.pem").toString(),
                    "--tls-ca-cert-file",
                    home.resolve("ca.pem").toString());
        } catch (UncheckedIOException e) {
            assumeTrue(false, "this redis-server has no TLS: " + e.getMessage());
            throw e;
        }
    }
}
