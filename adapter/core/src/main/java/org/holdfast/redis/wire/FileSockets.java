// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.redis.address.SocketFile;
import org.jspecify.annotations.Nullable;

/** Connects to processes on this machine, by their UNIX domain sockets. */
final class FileSockets {

    private static final String ADVICE =
            ": does the node run on this machine, is this path its unixsocket, and may this process open it?";

    /** Between two attempts to reach a process that accepts no connection at the moment. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private FileSockets() {}

    /**
     * Connects. Where as many others wait as the process lets wait, a file refuses at once. A port would let this
     * process wait too: so it tries again until the deadline.
     *
     * @param path of the socket
     * @param timeoutMillis for each answer after that
     * @param deadline on the scale of {@link System#nanoTime()}
     * @throws LocalFailureException if there is no connection for a reason that is in this process
     */
    static NodeSocket connect(String path, int timeoutMillis, long deadline) throws IOException {
        UnixDomainSocketAddress address = address(path);
        KeptInterrupt kept = KeptInterrupt.take(null); // an interrupted thread does not pause
        try {
            Optional<NodeSocket> socket = attempt(address, timeoutMillis, deadline);
            while (socket.isEmpty()) {
                LockSupport.parkNanos(PAUSE_NANOS);
                kept = KeptInterrupt.take(kept);
                socket = attempt(address, timeoutMillis, deadline);
            }
            return socket.get();
        } finally {
            KeptInterrupt.restore(kept);
        }
    }

    private static UnixDomainSocketAddress address(String path) throws IOException {
        try {
            return UnixDomainSocketAddress.of(path);
        } catch (InvalidPathException e) {
            throw new IOException("this JVM cannot name that file, start it in a locale with UTF-8: " + e.getReason());
        }
    }

    /** Returns nothing if it is to be tried again. */
    private static Optional<NodeSocket> attempt(UnixDomainSocketAddress address, int timeoutMillis, long deadline)
            throws IOException {
        @Nullable SocketFile before = SocketFile.at(address.getPath());
        try {
            NodeSocket socket = NodeSocket.connect(address, before, timeoutMillis, deadline);
            if (before != null && before.equals(SocketFile.at(address.getPath()))) {
                return Optional.of(socket);
            }
            socket.close(); // another process has taken the file in this moment
        } catch (SocketException e) {
            if (!mayBeCrowded(e, address)) {
                throw new IOException(e.getMessage() + ADVICE);
            }
            if (deadline - System.nanoTime() <= PAUSE_NANOS) {
                throw new SocketTimeoutException("it has accepted no connection in time: " + e.getMessage());
            }
        }
        if (deadline - System.nanoTime() <= PAUSE_NANOS) {
            throw new SocketTimeoutException("its file was taken by one process after another");
        }
        return Optional.empty();
    }

    /** The JDK has no exception of its own for that. Its words depend on the language of the system. */
    private static boolean mayBeCrowded(SocketException failure, UnixDomainSocketAddress address) {
        return failure.getClass() == SocketException.class && Files.exists(address.getPath());
    }
}
