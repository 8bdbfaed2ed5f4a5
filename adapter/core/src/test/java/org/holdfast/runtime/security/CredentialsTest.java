// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.security;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.holdfast.Holdfast;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.holdfast.runtime.operations.Beans;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** The user that the adapter has at the nodes, and how that changes while leases are held. */
@Timeout(120)
class CredentialsTest {

    private static final String OLD = "old-s3cret";
    private static final String NEW = "new-s3cret";

    private static RedisServers redis;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** The default user, which the test itself uses, may do everything; no other user may do anything. */
    @BeforeEach
    void removeUsersAndKeys() {
        onAll(jedis -> {
            jedis.aclDelUser("ada", "bob");
            jedis.flushAll();
        });
    }

    private interface Work {
        void with(Jedis jedis);
    }

    private static void on(RedisServer node, Work work) {
        try (Jedis jedis = new Jedis("127.0.0.1", node.port(), 10_000)) {
            work.with(jedis);
        }
    }

    private static void onAll(Work work) {
        redis.all().forEach(node -> on(node, work));
    }

    private static void setUser(Jedis jedis, String name, String... rules) {
        jedis.aclSetUser(name, "on", "~*", "&*", "+@all");
        jedis.aclSetUser(name, rules);
    }

    private static Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "nodes",
                redis.uris(),
                "guard",
                "OFF",
                "ttlMillis",
                "5000",
                "nodeTimeoutMillis",
                "2500",
                "waitTimeoutMillis",
                "2000"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private static void acquire(Map<String, String> settings) throws InterruptedException {
        try (LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            connection.acquire("credentials").release();
        }
    }

    private static List<String> ours(RedisServer node) throws Exception {
        return node.command("CLIENT LIST")
                .lines()
                .filter(line -> line.contains("name=holdfast"))
                .toList();
    }

    private static String address(RedisServer node, String user) {
        return "redis://" + user + "@127.0.0.1:" + node.port();
    }

    @ParameterizedTest
    @ValueSource(strings = {"p@ss:w,rd/?#", "100%+ 1%2C1", "Müller's \"{}[]|^\\ €", "plain"})
    void password_withAnyCharacters_isUnderstoodInAddressSettingAndFile(String password) throws Exception {
        onAll(jedis -> setUser(jedis, "ada", ">" + password));
        String encoded = URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
        String addresses = String.join(
                ",",
                redis.all().stream()
                        .map(node -> address(node, "ada:" + encoded))
                        .toList());
        acquire(settings("nodes", addresses));
        acquire(settings("user", "ada", "password", password));
        acquire(settings("user", "ada", "passwordFile", file(password).toString()));
    }

    @Test
    void node_withCredentialsOfItsOwn_getsThoseAndOthersTheDefault() throws Exception {
        on(redis.get(0), jedis -> setUser(jedis, "bob", ">bobs"));
        on(redis.get(1), jedis -> setUser(jedis, "ada", ">" + OLD));
        on(redis.get(2), jedis -> setUser(jedis, "ada", ">" + OLD));
        String nodes = address(redis.get(0), "bob:bobs") + "," + redis.get(1).uri() + ","
                + redis.get(2).uri();
        for (Map<String, String> settings : List.of(
                settings("nodes", nodes, "user", "ada", "password", OLD),
                settings(
                        "nodes", nodes, "user", "ada", "passwordFile", file(OLD).toString()))) {
            try (LockConnectionFactory locks = Holdfast.connect(settings);
                    LockConnection connection = locks.getConnection()) {
                connection.acquire("credentials");
                assertThat(ours(redis.get(0))).isNotEmpty().allMatch(line -> line.contains("user=bob"));
                assertThat(ours(redis.get(1))).isNotEmpty().allMatch(line -> line.contains("user=ada"));
                assertThat(ours(redis.get(2))).isNotEmpty().allMatch(line -> line.contains("user=ada"));
            }
        }
    }

    @Test
    void database_ofTheAddress_isWhereTheKeysAre() throws Exception {
        String nodes = String.join(
                ",", redis.all().stream().map(node -> node.uri() + "/3").toList());
        try (LockConnectionFactory locks = Holdfast.connect(settings("nodes", nodes));
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("credentials");
            assertThat(lease.renew()).isTrue(); // a quorum was enough: this heals a node that did not know the script
            onAll(jedis -> {
                assertThat(jedis.keys("*")).isEmpty();
                jedis.select(3);
                await().until(() -> jedis.exists("holdfast:{credentials}:lock"));
            });
        }
    }

    private Path file(String content) throws Exception {
        Path path = directory.resolve("password");
        Path beside = Files.writeString(directory.resolve("password.new"), content);
        return Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n", "\n\n"})
    void passwordFile_withOrWithoutNewlineAtItsEnd_isTheSame(String end) throws Exception {
        onAll(jedis -> setUser(jedis, "ada", ">" + OLD));
        acquire(settings("user", "ada", "passwordFile", file(OLD + end).toString()));
    }

    @ParameterizedTest
    @CsvSource({
        "passwordFile, /no/such/file, passwordFile '/no/such/file' cannot be read: there is no such file",
        "passwordFile, /, passwordFile '/' cannot be read: ",
        "passwordFile, /dev/null, passwordFile '/dev/null' is empty",
        "passwordFile, /dev/zero, passwordFile '/dev/zero' cannot be read: it has more than 4096 bytes",
        "user, ada, user needs a password or a passwordFile",
    })
    void passwordFile_thatCannotBeUsed_isNamedAtTheStart(String name, String value, String message) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings(name, value)))
                .withMessageContaining(message);
    }

    @Test
    void passwordAndPasswordFile_together_areRefused() throws Exception {
        Map<String, String> settings =
                settings("password", OLD, "passwordFile", file(NEW).toString());
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Holdfast.connect(settings))
                .withMessageContaining("there must be a password or a passwordFile, not both")
                .withMessageNotContaining("s3cret");
    }

    private static void killConnections() {
        onAll(jedis -> {
            jedis.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL));
            jedis.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
        });
    }

    /** In the order of docs/operations.md no caller notices the change, not even with all connections gone. */
    @Test
    void password_thatIsChangedOnTheNodesAndInTheFile_losesNoLease() throws Exception {
        onAll(jedis -> setUser(jedis, "ada", ">" + OLD));
        try (LockConnectionFactory locks = Holdfast.connect(
                        settings("user", "ada", "passwordFile", file(OLD).toString()));
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("held");
            FutureTask<Lease> waiter = Processes.start(() -> connection.acquire(
                    LockRequest.of("held").waitTimeout(ofMillis(60_000)).detached()));
            await().until(() -> redis.get(0).command("PUBSUB CHANNELS").contains("{held}"));

            onAll(jedis -> jedis.aclSetUser("ada", ">" + NEW));
            file(NEW + "\n");
            onAll(jedis -> jedis.aclSetUser("ada", "<" + OLD));
            killConnections();

            long sweeps = renewed();
            await().until(() -> renewed() > sweeps + 1);
            connection.acquire("another").release();
            assertThat(lease.isHeld()).isTrue();
            await().until(() -> redis.get(0).command("PUBSUB CHANNELS").contains("{held}"));
            lease.release();
            waiter.get().release();
        }
    }

    private static long renewed() throws Exception {
        return Beans.newest().getRenewed();
    }

    @Test
    void password_thatTheFileDoesNotHaveYet_isFoundThereLater() throws Exception {
        onAll(jedis -> setUser(jedis, "ada", ">" + OLD));
        try (LockConnectionFactory locks = Holdfast.connect(
                        settings("user", "ada", "passwordFile", file(OLD).toString()));
                LockConnection connection = locks.getConnection()) {
            onAll(jedis -> jedis.aclSetUser("ada", ">" + NEW, "<" + OLD));
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire("late"))
                    .withMessageContaining("WRONGPASS")
                    .withMessageNotContaining("s3cret");
            Files.delete(directory.resolve("password"));
            await().untilAsserted(() -> assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire("late"))
                    .withMessageContaining("passwordFile '" + directory.resolve("password") + "' cannot be read: there"
                            + " is no such file"));
            file(NEW);
            await().ignoreExceptions().until(() -> connection.acquire("late").isHeld());
        }
    }

    /** Redis closes the connections of a user that is deleted. */
    @Test
    void user_thatIsMadeAnewWithAnotherPassword_isLetInAgain() throws Exception {
        onAll(jedis -> setUser(jedis, "ada", ">" + OLD));
        try (LockConnectionFactory locks = Holdfast.connect(
                        settings("user", "ada", "passwordFile", file(OLD).toString()));
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("held");
            file(NEW);
            onAll(jedis -> {
                jedis.aclDelUser("ada");
                setUser(jedis, "ada", ">" + NEW);
            });
            await().until(lease::renew);
            assertThat(lease.isHeld()).isTrue();
            connection.acquire("another").release();
        }
    }
}
