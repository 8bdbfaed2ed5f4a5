// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.wire.ConnectorBridge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Voters whose Sentinels accept connections, and say nothing. */
@Timeout(60)
class LocatorsTest {

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(30);
    private static final int SOON_MILLIS = 15_000;

    private final List<AutoCloseable> open = new ArrayList<>();

    private <T extends AutoCloseable> T opened(T what) {
        open.add(what);
        return what;
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void sentinels_thatHang_delayNoQuestionAboutAnotherVoter() throws Exception {
        List<ServerSocket> hanging = new ArrayList<>();
        for (int voter = 0; voter < 3; voter++) {
            hanging.add(opened(new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))));
            hanging.get(voter).setSoTimeout(SOON_MILLIS);
        }
        String nodes = hanging.stream()
                .map(server -> "redis+sentinel://127.0.0.1:" + server.getLocalPort() + "/locks")
                .collect(Collectors.joining(","));
        VirtualTime time = new VirtualTime();
        Locators voters = new Locators(
                VoterAddresses.parse(nodes, "nodes", new ArrayList<>()),
                ConnectorBridge.connector(
                        InetAddress::getAllByName,
                        NODE_TIMEOUT,
                        Runnable::run,
                        task -> new Thread(task, "works for voters").start(),
                        time),
                0.01,
                time);
        Thread asking = new Thread(voters::confirm, "asks about voters");
        asking.start();
        for (ServerSocket server : hanging) { // each of them, within one node timeout
            Socket asked = opened(server.accept());
            asked.setSoTimeout(SOON_MILLIS);
            assertThat(asked.getInputStream().read()).isNotNegative();
        }
        for (AutoCloseable each : open) {
            each.close(); // nothing hangs any more
        }
        asking.join();
        voters.close();
    }
}
