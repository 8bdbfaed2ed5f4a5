// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are answered, and how. */
@Timeout(30)
class PageServerTest {

    private final List<List<String>> begun = new CopyOnWriteArrayList<>();
    private final List<PageServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(PageServer::close);
    }

    private int serve(boolean readOnly) throws IOException {
        PageServer server = new PageServer(0, () -> "{\"now\":1}", this::begin, readOnly);
        servers.add(server);
        return server.port();
    }

    private ActionResult begin(List<String> path) {
        begun.add(path);
        return switch (path.get(0)) {
            case "possible" -> new ActionResult.Begun();
            case "impossible" -> new ActionResult.Refused("node 2 is stopped");
            default -> new ActionResult.Unknown();
        };
    }

    private String post(int port, String path, String origin) throws IOException {
        return RawHttp.send(
                port,
                "POST " + path + " HTTP/1.1",
                "Host: localhost:" + port,
                "Content-Length: 0",
                "Origin: " + origin);
    }

    @Test
    void state_askedByAPageOfThisMachine_isAnsweredAndNotKept() throws IOException {
        int port = serve(false);
        for (String host : List.of("localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "localhost")) {
            String answer = RawHttp.send(port, "GET /state HTTP/1.1", "Host: " + host);
            assertThat(RawHttp.status(answer)).as(host).isEqualTo(200);
            assertThat(answer)
                    .endsWith("{\"now\":1}")
                    .containsIgnoringCase("Content-Type: application/json")
                    .containsIgnoringCase("Cache-Control: no-cache")
                    .containsIgnoringCase("Content-Security-Policy: default-src 'none'")
                    .containsIgnoringCase("X-Content-Type-Options: nosniff");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "evil.example:8080",
                "localhost@evil.example",
                "127.0.0.1.evil.example",
                "localhost:80:80",
                "localhost, evil.example",
                ""
            })
    void request_withAForeignHost_isRefused(String host) throws IOException {
        int port = serve(false);
        for (String path : List.of("/", "/state", "/events", "/operate")) {
            String answer = RawHttp.send(port, "GET " + path + " HTTP/1.1", "Host: " + host);
            assertThat(RawHttp.status(answer)).as(path).isIn(400, 403);
            assertThat(answer).doesNotContain("now");
        }
        String action = RawHttp.send(
                port,
                "POST /actions/possible HTTP/1.1",
                "Host: " + host,
                "Content-Length: 0",
                "Origin: http://" + host);
        assertThat(RawHttp.status(action)).isIn(400, 403);
        assertThat(begun).isEmpty();
    }

    /** As a browser sends what a page of another site asks for: so many readers would leave no place for ours. */
    @ParameterizedTest
    @CsvSource({
        "/events, cross-site, no-cors, image, 403",
        "/events, cross-site, cors, empty, 403",
        "/events, cross-site, navigate, iframe, 403",
        "/events, same-site, cors, empty, 403",
        "/state, cross-site, no-cors, script, 403",
        "/, cross-site, navigate, document, 200",
        "/, none, navigate, document, 200",
        "/state, same-origin, cors, empty, 200"
    })
    void request_ofAnotherSite_isRefusedUnlessItOpensThePage(
            String path, String site, String mode, String kind, int status) throws IOException {
        int port = serve(false);
        String answer = RawHttp.send(
                port,
                "GET " + path + " HTTP/1.1",
                "Host: localhost:" + port,
                "Sec-Fetch-Site: " + site,
                "Sec-Fetch-Mode: " + mode,
                "Sec-Fetch-Dest: " + kind);
        assertThat(RawHttp.status(answer)).isEqualTo(status);
    }

    @Test
    void request_withoutAHostOrWithTwo_isRefused() throws IOException {
        int port = serve(false);
        assertThat(RawHttp.status(RawHttp.send(port, "GET /state HTTP/1.0", "Accept: */*")))
                .isIn(400, 403);
        assertThat(RawHttp.status(RawHttp.send(port, "GET /state HTTP/1.1", "Host: localhost", "Host: evil.example")))
                .isIn(400, 403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "null",
                "http://localhost",
                "https://localhost:PORT",
                "http://localhost:PORT/"
            })
    void action_withAForeignOrigin_isRefused(String origin) throws IOException {
        int port = serve(false);
        String answer = post(port, "/actions/possible", origin.replace("PORT", Integer.toString(port)));
        assertThat(RawHttp.status(answer)).isEqualTo(403);
        assertThat(begun).isEmpty();
    }

    @Test
    void action_withoutOrigin_isRefused() throws IOException {
        int port = serve(false);
        String answer =
                RawHttp.send(port, "POST /actions/possible HTTP/1.1", "Host: localhost:" + port, "Content-Length: 0");
        assertThat(RawHttp.status(answer)).isEqualTo(403);
        assertThat(answer).contains("must be http://localhost:" + port);
        assertThat(begun).isEmpty();
    }

    @Test
    void action_ofTheOwnPage_isBegunOrRefusedWithTheReason() throws IOException {
        int port = serve(false);
        String own = "http://localhost:" + port;
        assertThat(RawHttp.status(post(port, "/actions/possible/2/kill", own))).isEqualTo(202);
        String refused = post(port, "/actions/impossible", own);
        assertThat(RawHttp.status(refused)).isEqualTo(409);
        assertThat(refused).endsWith("node 2 is stopped");
        assertThat(RawHttp.status(post(port, "/actions/other", own))).isEqualTo(404);
        assertThat(RawHttp.status(post(port, "/state", own))).isEqualTo(404);
        assertThat(begun).containsExactly(List.of("possible", "2", "kill"), List.of("impossible"), List.of("other"));
    }

    @Test
    void action_onAPageThatIsReadOnly_isRefused() throws IOException {
        int port = serve(true);
        String answer = post(port, "/actions/possible", "http://localhost:" + port);
        assertThat(RawHttp.status(answer)).isEqualTo(403);
        assertThat(answer).endsWith("this page is read only");
        assertThat(begun).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/../Demo.class", "/%2e%2e/Demo.class", "/web/PageServer.class", "//etc/passwd", "/page", "/.js"
            })
    void file_thatIsNotOfThePage_isNotThere(String path) throws IOException {
        int port = serve(false);
        String answer = RawHttp.send(port, "GET " + path + " HTTP/1.1", "Host: localhost:" + port);
        assertThat(RawHttp.status(answer)).isIn(400, 404);
    }

    @Test
    void request_withAnotherMethod_isRefused() throws IOException {
        int port = serve(false);
        for (String method : List.of("PUT", "DELETE", "OPTIONS")) {
            String answer = RawHttp.send(
                    port, method + " /actions/possible HTTP/1.1", "Host: localhost:" + port, "Content-Length: 0");
            assertThat(RawHttp.status(answer)).as(method).isEqualTo(405);
        }
        assertThat(begun).isEmpty();
    }
}
