// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo on a small machine, and what it refuses. */
@Timeout(180)
class DemoWithOneServerIT {

    private static DemoOptions options(int port, boolean readOnly) {
        return new DemoOptions(
                Path.of(System.getProperty("server.target")), Path.of("target", "demo-one-it"), port, 1, readOnly);
    }

    @Test
    void demo_withOneServerAndReadOnly_startsAndRefusesActions() throws Exception {
        try (Demo demo = new Demo(options(FreePorts.inARow(2), true))) {
            demo.start();
            assertThat(demo.state().servers()).singleElement().satisfies(server -> assertThat(server.process())
                    .isEqualTo(ProcessState.RUNNING));
            assertThat(demo.state().readOnly()).isTrue();
            String page = demo.url().replaceFirst("/$", "");
            HttpResponse<String> refused = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(page + "/actions/nodes/0/kill"))
                                    .header("Origin", page)
                                    .POST(HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(demo.state().nodes())
                    .allSatisfy(node -> assertThat(node.process()).isEqualTo(ProcessState.RUNNING));
        }
    }

    @Test
    void demo_whosePortIsTaken_startsNothingAndSaysSo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Demo demo = new Demo(options(taken.getLocalPort(), false))) {
            assertThatThrownBy(demo::start)
                    .hasMessageContaining("port " + taken.getLocalPort() + " is in use")
                    .hasMessageContaining("-Dhttp.port=");
            assertThat(demo.processes().nodes()).isEmpty();
        }
    }

    @Test
    void demo_thatIsKilledBeforeItHasStarted_hasNotedWhatItLeaves() throws Exception {
        Path directory = Path.of("target", "demo-half-it");
        Path noServer = directory.resolve("no-server");
        try (Demo demo = new Demo(new DemoOptions(noServer, directory, FreePorts.inARow(2), 1, true))) {
            assertThatThrownBy(demo::start).hasMessageContaining("no-server");
            List<Long> running = demo.processes().pids().stream()
                    .filter(pid -> ProcessHandle.of(pid).isPresent())
                    .toList();
            assertThat(running).as("five nodes and a database").hasSize(6);
            assertThat(Files.readAllLines(directory.resolve("processes")))
                    .extracting(line -> Long.valueOf(line.split(" ")[0]))
                    .as("and what has made the database, which has ended")
                    .hasSize(7)
                    .containsAll(running);
        }
    }

    @Test
    void options_thatMakeNoSense_areRefused() {
        assertThatThrownBy(() -> DemoOptions.of("a", "b", "8080", "3", "false"))
                .hasMessageContaining("-Dservers must be 1 to 2, was 3");
        assertThatThrownBy(() -> DemoOptions.of("a", "b", "80a", "1", "false"))
                .hasMessageContaining("-Dhttp.port must be a number, was 80a");
        assertThatThrownBy(() -> DemoOptions.of("a", "b", "65535", "1", "false"))
                .hasMessageContaining("-Dhttp.port must be 1 to 65534");
    }
}
