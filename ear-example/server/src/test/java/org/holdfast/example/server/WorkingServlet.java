// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/**
 * Takes a lock and works under it until the test ends that. It writes its state to a file, and the test ends it
 * by another file: the test can read and write these when the application, its adapter or the server has gone.
 */
@WebServlet("/")
public class WorkingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_SECONDS = 90;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Resource(name = "eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient UserTransaction transaction;

    /**
     * The state of one work. A static class, loaded before the application goes: its class loader finds no new
     * classes then.
     */
    private static final class Work {
        private final Path file;
        private String state = "begun";

        private Work(Path file) {
            this.file = file;
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

        private synchronized void append(String more) {
            become(state + more);
        }

        /**
         * Works on when it is interrupted, as it may stand in a call that does not notice it: servers interrupt
         * what they stop.
         */
        private void work(Lease lease) {
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

    /** Works, and answers what became of it. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        Work work = new Work(Path.of(request.getParameter("file")));
        try (LockConnection connection = locks.getConnection()) {
            switch (request.getParameter("way")) {
                case "connection" -> work.work(connection.acquire(LockRequest.of(lock)));
                case "detached" -> {
                    try (Lease lease = connection.acquire(LockRequest.of(lock).detached())) {
                        work.work(lease);
                    }
                }
                default -> {
                    transaction.begin();
                    work.work(connection.acquire(LockRequest.of(lock)));
                    transaction.commit();
                    work.append(", committed");
                }
            }
        } catch (Exception e) {
            work.append(", " + e);
        }
        response.getWriter().print(work.state);
    }
}
