// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.example.demo.state.DemoState;
import org.holdfast.example.demo.state.DemoState.JobRun;
import org.holdfast.example.demo.state.DemoState.Lease;
import org.holdfast.example.demo.state.DemoState.NodeView;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.DemoState.Run;
import org.holdfast.example.demo.state.DemoState.RunState;
import org.holdfast.example.demo.state.DemoState.StaleWrite;
import org.holdfast.example.demo.state.DemoState.StaleWriteState;
import org.holdfast.example.demo.state.DemoState.Vote;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole demo: five nodes, two servers, a PostgreSQL and the page, used and broken as a person does. */
@Tag("thorough")
@Timeout(180)
class DemoIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<Long> PIDS = new ArrayList<>();

    private static Demo demo;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void start() throws Exception {
        demo = new Demo(new DemoOptions(
                Path.of(System.getProperty("server.target")),
                Path.of("target", "demo-it"),
                FreePorts.inARow(3),
                2,
                false));
        demo.start();
        PIDS.addAll(demo.processes().pids());
    }

    @AfterAll
    static void stop() {
        demo.close();
        assertThat(PIDS).as("processes that were started, and are left").noneMatch(pid -> ProcessHandle.of(pid)
                .isPresent());
    }

    /** Nodes that were killed have no vote for a while: the next test must not count on them before that. */
    @AfterEach
    void bringNodesBack() throws Exception {
        for (DemoState.Node node : demo.state().nodes()) {
            if (node.process() == ProcessState.STOPPED) {
                begin("nodes/" + node.index() + "/start");
            } else if (node.process() == ProcessState.PAUSED) {
                begin("nodes/" + node.index() + "/resume");
            }
        }
        await().atMost(PATIENCE).until(() -> demo.state().nodes().stream().allMatch(node -> node.vote() == Vote.YES));
    }

    private HttpResponse<String> send(String method, String url) throws IOException, InterruptedException {
        String page = demo.url().replaceFirst("/$", "");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url.startsWith("http") ? url : page + url))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Origin", page)
                .timeout(PATIENCE)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> action(String path) throws IOException, InterruptedException {
        return send("POST", "/actions/" + path);
    }

    private void begin(String path) throws IOException, InterruptedException {
        HttpResponse<String> begun = action(path);
        assertThat(begun.statusCode()).as(path + ": " + begun.body()).isEqualTo(202);
    }

    private HttpResponse<String> order() throws IOException, InterruptedException {
        return send("POST", demo.processes().servers().get(0).url() + "/shop/orders?sku=lamp");
    }

    private Run run(String kind) throws IOException, InterruptedException {
        begin("load/" + kind);
        await().atMost(PATIENCE).until(() -> demo.state().runs().get(kind).state() == RunState.DONE);
        return demo.state().runs().get(kind);
    }

    /** On a machine that is very busy an order may wait for its lock for too long; nothing else may go wrong. */
    private static void requireSoldOut(Run run) {
        assertThat(run.placed()).isEqualTo(run.orders());
        assertThat(run.oversold()).isZero();
        assertThat(run.stock()).isEqualTo(run.initial() - run.sold());
        if (run.failed() == 0) {
            assertThat(run.sold()).isEqualTo(run.initial());
        } else {
            assertThat(run.problem()).contains("HF0201");
        }
    }

    private static DemoState.Node node(int index) {
        return demo.state().nodes().get(index);
    }

    private static void awaitProcess(int node, ProcessState state) {
        await().atMost(PATIENCE).until(() -> node(node).process() == state);
    }

    /** Without the lock each order has time for the next one between its read and its write, so it is no luck. */
    @Test
    void orders_withAndWithoutTheLock_sellWhatThereIsAndWhatThereIsNot() throws Exception {
        begin("load/both");
        await().atMost(PATIENCE)
                .until(() -> demo.state().runs().values().stream().allMatch(run -> run.state() == RunState.DONE));
        requireSoldOut(demo.state().runs().get("locked"));

        Run unlocked = demo.state().runs().get("unlocked");
        assertThat(unlocked.problem()).isNull();
        assertThat(unlocked.oversold()).isPositive();
        assertThat(unlocked.oversold()).isEqualTo(unlocked.sold() - (unlocked.initial() - unlocked.stock()));

        List<Lease> leases = demo.state().leases();
        assertThat(leases.stream().map(Lease::server).distinct())
                .as("both had it")
                .containsExactlyInAnyOrder(0, 1);
        for (int i = 1; i < leases.size(); i++) {
            Lease before = leases.get(i - 1);
            assertThat(leases.get(i).token()).isGreaterThan(before.token());
            assertThat(leases.get(i).from()).as("one holder at a time").isGreaterThanOrEqualTo(before.to());
        }
    }

    @Test
    void nodes_twoOfFiveKilled_leaveOrdersGoingOn() throws Exception {
        begin("nodes/0/kill");
        begin("nodes/3/kill");
        awaitProcess(3, ProcessState.STOPPED);
        requireSoldOut(run("locked"));
        await().atMost(PATIENCE).until(() -> node(0).state() == NodeView.UNREACHABLE && node(0).vote() == Vote.NO);
        assertThat(node(0).reason()).contains("refused");
        assertThat(action("nodes/0/kill").body()).isEqualTo("node 0 is stopped");
    }

    @Test
    void nodes_threeOfFiveGone_failOrdersWithTheReason() throws Exception {
        begin("nodes/0/kill");
        begin("nodes/2/pause");
        begin("nodes/4/kill");
        awaitProcess(4, ProcessState.STOPPED);
        HttpResponse<String> refused = order();
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("HF0202").contains("needs the votes of 3 of 5 nodes");
        assertThat(node(2).process()).isEqualTo(ProcessState.PAUSED);

        begin("nodes/4/start");
        await().atMost(PATIENCE).until(() -> node(4).state() == NodeView.QUARANTINE);
        assertThat(node(4).until()).isGreaterThan(demo.state().now() - 1_000);
        assertThat(node(4).reason()).contains("quarantine");
        await().atMost(PATIENCE).until(() -> order().statusCode() != 503);
    }

    @Test
    void node_thatIsFlushed_hasNoVoteForAWhile() throws Exception {
        begin("nodes/1/flush");
        await().atMost(PATIENCE).until(() -> node(1).state() == NodeView.QUARANTINE);
    }

    @Test
    void writer_whoseTokenIsOld_isRefusedByTheRow() throws Exception {
        begin("stale-writer");
        assertThat(action("load/locked").statusCode()).as("meanwhile").isEqualTo(409);
        await().atMost(PATIENCE).until(() -> demo.state().staleWriter().state() != StaleWriteState.RUNNING);
        StaleWrite end = demo.state().staleWriter();
        assertThat(end.state()).as(end.step()).isEqualTo(StaleWriteState.REFUSED);
        assertThat(end.staleToken()).isLessThan(end.rowToken());
        assertThat(end.step()).contains("with token " + end.staleToken()).contains("was refused");
        assertThat(demo.state().servers().get(0).process()).isEqualTo(ProcessState.RUNNING);
    }

    @Test
    void job_onTwoServers_isDoneByOneAndSkippedByTheOther() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(demo.state().job().runs())
                        .anySatisfy(run -> assertThat(run.skippedBy()).containsExactly(1 - run.server())));
        assertThat(demo.state().job().runs()).extracting(JobRun::token).isSorted();
    }

    @Test
    void server_thatIsKilled_leavesOrdersToTheOtherAndComesBack() throws Exception {
        begin("servers/1/kill");
        await().atMost(PATIENCE).until(() -> demo.state().servers().get(1).process() == ProcessState.STOPPED);
        requireSoldOut(run("locked"));

        PIDS.add(demo.state().servers().get(1).pid());
        begin("servers/1/start");
        await().atMost(Duration.ofSeconds(120))
                .until(() -> demo.state().servers().get(1).process() == ProcessState.RUNNING);
        PIDS.add(demo.state().servers().get(1).pid());
        assertThat(demo.state().servers().get(1).ordersPerSecond()).isNotNull();
    }

    @Test
    void demo_inTheDirectoryOfAnother_isRefused() throws Exception {
        DemoOptions options = new DemoOptions(
                Path.of(System.getProperty("server.target")),
                Path.of("target", "demo-it"),
                FreePorts.inARow(2),
                1,
                false);
        try (Demo second = new Demo(options)) {
            assertThatThrownBy(second::start).hasMessageContaining("another demo runs in");
        }
        assertThat(order().statusCode()).as("of the first").isNotEqualTo(503);
    }

    @Test
    void page_askedForItsState_answersWithIt() throws Exception {
        HttpResponse<String> state = send("GET", "/state");
        assertThat(state.statusCode()).isEqualTo(200);
        assertThat(state.body())
                .startsWith("{\"readOnly\":false,\"now\":")
                .contains("\"quorum\":3")
                .contains("\"name\":\"WildFly B\"")
                .contains("\"lock\":{\"name\":\"stock-lamp\"");
        assertThat(action("nodes/9/kill").statusCode()).isEqualTo(404);
        assertThat(action("nodes/0/melt").statusCode()).isEqualTo(404);
    }
}
