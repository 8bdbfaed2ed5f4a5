// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers of the state over real connections: how many, how often, and what becomes of slow ones. */
@Timeout(60)
class EventStreamsTest {

    private final List<Socket> sockets = new ArrayList<>();
    private PageServer server;
    private volatile String state = "{\"now\":1,\"held\":0}";

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private void serve(Supplier<String> states) throws IOException {
        server = new PageServer(0, states, path -> new ActionResult.Unknown(), false);
    }

    private Socket open() throws IOException {
        Socket socket = RawHttp.open(server.port(), "GET /events HTTP/1.1", "Host: localhost:" + server.port());
        sockets.add(socket);
        return socket;
    }

    private BufferedReader reader() throws IOException {
        return new BufferedReader(new InputStreamReader(open().getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns the next state that comes. */
    private static String next(BufferedReader reader) throws IOException {
        String line = reader.readLine();
        while (!line.startsWith("data: ")) {
            line = reader.readLine();
        }
        return line.substring("data: ".length());
    }

    @Test
    void state_thatChanges_reachesTheReaderAtOnce() throws IOException {
        serve(() -> state);
        BufferedReader reader = reader();
        assertThat(next(reader)).isEqualTo(state);
        state = "{\"now\":2,\"held\":1}";
        long begun = System.nanoTime();
        String seen = next(reader);
        while (!seen.equals(state)) {
            seen = next(reader);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }

    /** Only the clock goes on: so much less is sent than there are looks. */
    @Test
    void state_thatDoesNotChange_comesOnceASecond() throws IOException {
        AtomicInteger looks = new AtomicInteger();
        serve(() -> "{\"now\":" + looks.incrementAndGet() + ",\"held\":0}");
        BufferedReader reader = reader();
        next(reader);
        int before = looks.get();
        for (int i = 0; i < 3; i++) {
            next(reader);
        }
        assertThat(looks.get() - before).isGreaterThan(6);
    }

    @Test
    void reader_aboveTheMost_isRefusedUntilOneHasGone() throws Exception {
        serve(() -> state);
        for (int i = 0; i < PageServer.MOST_STREAMS; i++) {
            next(reader());
        }
        String ninth = reader().readLine();
        assertThat(RawHttp.status(ninth)).isEqualTo(503);
        assertThat(RawHttp.status(
                        RawHttp.send(server.port(), "GET /state HTTP/1.1", "Host: localhost:" + server.port())))
                .as("other requests are answered all the same")
                .isEqualTo(200);

        sockets.get(0).close();
        await().atMost(Duration.ofSeconds(20)).until(() -> RawHttp.status(reader().readLine()) == 200);
    }

    /** The buffers of a connection take some megabytes before the server notices. */
    @Test
    void reader_thatTakesNothing_isDroppedAndTheOthersAreNot() throws IOException {
        AtomicInteger number = new AtomicInteger();
        String large = "x".repeat(4_000_000);
        serve(() -> "{\"now\":1,\"number\":" + number.incrementAndGet() + ",\"large\":\"" + large + "\"}");
        open();
        BufferedReader reader = reader();
        next(reader);
        await().until(() -> server.streams() == 2);
        long begun = System.nanoTime();
        while (server.streams() == 2
                && System.nanoTime() - begun < Duration.ofSeconds(30).toNanos()) {
            next(reader);
        }
        assertThat(server.streams()).as("the one that reads").isEqualTo(1);
        assertThat(next(reader)).contains("number");
    }
}
