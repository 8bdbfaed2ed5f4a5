// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;

/** What a process is told by the operating system. */
public enum ProcessSignal {

    /** Stops the process in its tracks: connections stay open and nothing is answered. */
    STOP,

    /** Lets a stopped process resume. */
    CONT,

    /** As Ctrl-C does. */
    INT;

    /** Sends it; does nothing if the process has ended. */
    public void send(Process process) {
        if (!process.isAlive()) {
            return;
        }
        try {
            Process kill = new ProcessBuilder("kill", "-" + name(), Long.toString(process.pid())).start();
            if (kill.waitFor() != 0 && process.isAlive()) {
                throw new IllegalStateException("kill -" + name() + " failed for process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while process " + process.pid() + " was signalled", e);
        }
    }
}
