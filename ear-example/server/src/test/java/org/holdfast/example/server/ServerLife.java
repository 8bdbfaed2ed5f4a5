// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.concurrent.TimeUnit;

/** The life of the server's process: from its start until it is stopped, killed or restarted. */
final class ServerLife {

    private static final int STOP_SECONDS = 90;

    private final ProcessHandle process;

    private ServerLife(ProcessHandle process) {
        this.process = process;
    }

    static ServerLife ofNow() {
        return new ServerLife(
                ProcessHandle.of(ApplicationServer.current().pid()).orElseThrow());
    }

    boolean isOver() {
        return !process.isAlive();
    }

    /** Ends the process and returns when it has gone. */
    void end(boolean forcibly) {
        if (forcibly) {
            process.destroyForcibly();
        } else {
            process.destroy();
        }
        process.onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join();
    }
}
