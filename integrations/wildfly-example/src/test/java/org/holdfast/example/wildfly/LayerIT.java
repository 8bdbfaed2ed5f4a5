// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.holdfast.Setting;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server with the layer, one environment variable, and all kinds of applications beside each other. */
@Timeout(240)
class LayerIT {

    /** A machine that stands still for a moment is no node that hangs. */
    private static final String NODE_TIMEOUT = "2000";

    private static RedisServer redis;
    private static WildFly server;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisServer.start(Path.of("target", "redis"));
        // Otherwise a node that was started just now grants its first lock after a minute
        Map<Setting, String> environment = Map.of(
                Setting.NODES, redis.uri(), Setting.GUARD, "DEVELOPMENT", Setting.NODE_TIMEOUT_MILLIS, NODE_TIMEOUT);
        server = WildFly.start(
                "layer",
                WildFly.variables(environment),
                List.of(
                        Archives.example(),
                        Archives.write(Archives.sales("second.war")),
                        Archives.write(Archives.probe("probe.war")),
                        Archives.write(Archives.probe("probe2.war")),
                        Archives.write(Archives.withStandalone()),
                        Archives.write(Archives.withTheApiAmongItsClasses()),
                        Archives.write(Archives.withAnAdapter(redis.uri()))));
    }

    @AfterAll
    static void stop() {
        Stream.of(server, redis).forEach(LayerIT::close);
    }

    private static void close(AutoCloseable started) {
        try {
            if (started != null) {
                started.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("cannot close " + started, e);
        }
    }

    private static long token(String path) throws Exception {
        return Long.parseLong(server.body(path));
    }

    private static String probe(String question, String argument) throws Exception {
        return probe("probe", question, argument);
    }

    private static String probe(String application, String question, String argument) throws Exception {
        return server.body("/" + application + "/probe?ask=" + question + "&of=" + argument);
    }

    @Test
    void locks_ofTwoApplications_areOfOneAdapterAndItsTokensRise() throws Exception {
        long first = token("/example/sell?sku=lamp");
        long second = token("/second/sell?sku=lamp");
        long third = token("/example/sell?sku=lamp");
        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void factory_isTheOneOfTheModule_andTheApiIsThereOnce() throws Exception {
        assertThat(probe("factory", "")).contains("\"org.holdfast.adapter\"");
        assertThat(probe("api", "")).contains("\"org.holdfast.api\"");
    }

    @Test
    void lease_takenInATransaction_isHeldUntilTheCommit() throws Exception {
        assertThat(probe("transaction", "committed")).isEqualTo("true");
        await().until(() -> probe("held", "committed").equals("false"));
    }

    @Test
    void lock_ofATransactionalMethod_isHeldUntilAfterTheCommit() throws Exception {
        assertThat(probe("steps", "transactional"))
                .isEqualTo("[works in a transaction: held, commits: held, has committed: held, has returned: free]");
    }

    @Test
    void applications_haveOneAdapter_andKeepEachOtherOut() throws Exception {
        assertThat(probe("probe2", "adapter", "")).isEqualTo(probe("adapter", ""));
        assertThat(probe("hold", "bench")).isEqualTo("true");
        assertThat(probe("probe2", "hold", "bench")).isEqualTo("false");
        probe("release", "");
        assertThat(probe("probe2", "hold", "bench")).isEqualTo("true");
        probe("probe2", "release", "");
    }

    @Test
    void threads_areThoseOfTheServer() throws Exception {
        token("/example/sell?sku=lamp");
        assertThat(server.log()).doesNotContain("HF0406");
    }

    @Test
    void settings_thatTheEnvironmentDoesNotHave_areNotSet() throws Exception {
        for (Setting setting : Setting.values()) {
            String injected = probe("setting", setting.key());
            switch (setting) {
                case NODES -> assertThat(injected).isEqualTo(redis.uri());
                case GUARD -> assertThat(injected).isEqualTo("DEVELOPMENT");
                case NODE_TIMEOUT_MILLIS -> assertThat(injected).isEqualTo(NODE_TIMEOUT);
                default -> assertThat(injected).as(setting.key()).isBlank();
            }
        }
    }

    @Test
    void application_withStandaloneBesides_locksByTheAdapterAndConnectsByItself() throws Exception {
        long byTheAdapter = token("/standalone/sell?sku=chair");
        long byItself = token("/standalone/own?sku=chair");
        assertThat(byItself).isGreaterThan(byTheAdapter);
    }

    @Test
    void application_withTheApiAmongItsClasses_isRefusedItsLocks() throws Exception {
        HttpResponse<String> refused = server.get("/classes/sell?sku=lamp");
        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(server.log())
                .contains("HF0505")
                .contains("bound to a LockConnectionFactory of another class loader");
    }

    @Test
    void ear_withAnAdapterOfItsOwn_sharesTheApi() throws Exception {
        long before = token("/example/sell?sku=table");
        long ofTheEar = token("/own/sell?sku=table");
        long after = token("/example/sell?sku=table");
        assertThat(List.of(before, ofTheEar, after)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void application_thatIsRedeployed_leavesNoThread_andLocksAgain() throws Exception {
        long before = token("/second/sell?sku=sofa");
        for (int i = 0; i < 3; i++) {
            server.redeploy("second.war");
            assertThat(probe("held", "stock-sofa")).isEqualTo("false");
            assertThat(token("/second/sell?sku=sofa")).isGreaterThan(before);
        }
        // Threads of the adapter come and go; none may keep an application that has gone
        assertThat(probe("loaders", "second.war")).isIn("0", "1");
    }

    @Test
    void method_whoseNodeIsDown_doesNotRunUntilItIsUp() throws Exception {
        long before = token("/example/sell?sku=shelf");
        redis.kill();
        try {
            assertThat(server.get("/example/sell?sku=shelf").statusCode()).isEqualTo(500);
            assertThat(server.log()).contains("HF0202: lock 'stock-shelf'");
        } finally {
            redis.start();
        }
        assertThat(token("/example/sell?sku=shelf")).isGreaterThan(before);
    }

    @Test
    void server_thatIsReloaded_locksAgainWithLargerTokens() throws Exception {
        long before = token("/example/sell?sku=desk");
        server.reload();
        assertThat(token("/example/sell?sku=desk")).isGreaterThan(before);
        assertThat(token("/second/sell?sku=desk")).isGreaterThan(before);
    }
}
