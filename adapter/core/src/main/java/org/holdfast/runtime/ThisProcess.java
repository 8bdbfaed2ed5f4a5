// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.holdfast.LockHolder;
import org.holdfast.protocol.node.ProcessInfo;

/** What holders in other processes are told of this one. Found out once: neither changes. */
final class ThisProcess {

    static final ProcessInfo WHEREABOUTS =
            new ProcessInfo(host(), ProcessHandle.current().pid());

    private ThisProcess() {}

    /** Asks the name service last: where it does not know this machine it may take seconds to say so. */
    private static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String name = System.getenv(variable);
            if (name != null && !name.isBlank()) {
                return name;
            }
        }
        try {
            Path linux = Path.of("/proc/sys/kernel/hostname");
            return Files.isReadable(linux)
                    ? Files.readString(linux).strip()
                    : InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return LockHolder.UNKNOWN;
        }
    }
}
