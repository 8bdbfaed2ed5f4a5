// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Lease;

/**
 * One work under a lock, whose state is in a file, and which the test ends by another file: the test can read and write
 * these when the application, its adapter or the server has gone. A class of its own, loaded before the application
 * goes: its class loader finds no new classes then.
 */
final class WorkInAFile {

    private static final int LONGEST_SECONDS = 90;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Path file;
    private String state = "begun";

    WorkInAFile(Path file) {
        this.file = file;
    }

    synchronized String state() {
        return state;
    }

    /** Writes the new state. The test never reads half of one. */
    private synchronized void become(String next) {
        state = next;
        Path written = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(written, next);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void append(String more) {
        become(state + more);
    }

    /**
     * Works on when it is interrupted, as it may stand in a call that does not notice it: servers interrupt what they
     * stop.
     */
    void work(Lease lease) {
        become("held");
        lease.onLost(loss -> become("lost: " + loss.reason()));
        Path end = file.resolveSibling(file.getFileName() + ".end");
        long latest = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (!Files.exists(end)) {
            if (System.nanoTime() - latest > 0) {
                append(", forgotten");
                return;
            }
            LockSupport.parkNanos(STEP_NANOS); // the test is another process, and may have no other way to here
            Thread.interrupted();
        }
    }
}
