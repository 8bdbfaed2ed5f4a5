// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.holdfast.faults.Observations;
import org.holdfast.faults.Report;

/** Takes what the callers of several servers report, until a server has gone. */
final class ReportReader implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Observations observations;

    private final CountDownLatch left;

    /** @param servers how many report */
    ReportReader(Observations observations, int servers) throws IOException {
        this.observations = observations;
        this.left = new CountDownLatch(servers);
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "reports");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket server = listener.accept();
                start(() -> read(server));
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void read(Socket socket) {
        int server = -1;
        try (socket;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            server = Integer.parseInt(lines.readLine());
            String line;
            while ((line = lines.readLine()) != null) {
                observations.add(server, Report.read(line));
            }
        } catch (IOException e) {
            // it was killed
        } finally {
            int gone = server;
            observations.gone(gone, caller -> caller / ObservedCallers.NUMBERS == gone);
            left.countDown();
        }
    }

    /** Returns when all servers have reported everything. */
    void awaitEnd() throws InterruptedException {
        if (!left.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(left.getCount() + " servers have not ended their reports");
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
