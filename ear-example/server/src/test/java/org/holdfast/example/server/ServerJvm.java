// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The server's virtual machine, as the tools of a JDK on the same machine see it. */
final class ServerJvm {

    private ServerJvm() {}

    /** Connects as jconsole does. */
    static JMXConnector connect() throws Exception {
        VirtualMachine server = VirtualMachine.attach(pid());
        try {
            return JMXConnectorFactory.connect(new JMXServiceURL(server.startLocalManagementAgent()));
        } finally {
            server.detach();
        }
    }

    private static String pid() {
        return Long.toString(ApplicationServer.current().pid());
    }

    /** Runs jcmd and returns its output. */
    static String command(String... arguments) throws IOException, InterruptedException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("server.java"), "bin", "jcmd")
                                        .toString(),
                                pid()),
                        Stream.of(arguments))
                .toList();
        Process jcmd = new ProcessBuilder(command).redirectErrorStream(true).start();
        String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException(command + ": " + answer);
        }
        return answer;
    }
}
