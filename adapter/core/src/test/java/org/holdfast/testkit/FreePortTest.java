// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A port is of one JVM, as long as that lives, whether a process listens on it or not. */
@Timeout(60)
class FreePortTest {

    /** The other JVM: says of the port whether it can claim it. */
    public static void main(String[] port) throws IOException {
        System.out.println(FreePort.claim(Integer.parseInt(port[0])));
    }

    private static String claimInAnotherJvm(int port) throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FreePortTest.class.getName(),
                        Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(other.waitFor()).isZero();
        return said.trim();
    }

    @Test
    void port_thatWasGiven_isNoOtherJvms_andOneThatEndedLeavesItsPorts() throws Exception {
        int given = FreePort.find();
        int notAPort = 100_000 + (int) ProcessHandle.current().pid(); // no other JVM asks for it

        assertThat(claimInAnotherJvm(given)).isEqualTo("false");
        assertThat(claimInAnotherJvm(notAPort)).isEqualTo("true");
        assertThat(claimInAnotherJvm(notAPort)).isEqualTo("true");
    }

    @Test
    void portOfANodeOfACluster_hasABusThatIsNoOtherJvms() throws Exception {
        int given = FreePort.findWithBus();

        assertThat(claimInAnotherJvm(given)).isEqualTo("false");
        assertThat(claimInAnotherJvm(given + FreePort.BUS)).isEqualTo("false");
        assertThat(given + FreePort.BUS).as("no client is given it").isLessThan(32_768);
    }

    @Test
    void ports_areGivenOnce_andAreFree() throws Exception {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            int port = FreePort.find();
            new ServerSocket(port).close();
            assertThat(ports.add(port)).as("port %d is given once", port).isTrue();
        }
    }
}
