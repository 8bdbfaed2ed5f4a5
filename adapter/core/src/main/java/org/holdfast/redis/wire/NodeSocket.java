// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.holdfast.redis.address.SocketFile;
import org.jspecify.annotations.Nullable;

/**
 * A socket with blocking streams, as Jedis and TLS want it, over a channel that never blocks, as a selector wants it.
 *
 * <p>So one thread can wait for several nodes at once and still leave the protocol to Jedis. An interrupt neither
 * closes it (as it would a blocking channel) nor gets lost.
 *
 * <p>It has buffers of its own outside of the heap. To a channel that is given another kind the JDK lends one that it
 * keeps with the thread, with 4 KiB to find it by: too much for each of ten thousand threads that wait for locks.
 */
final class NodeSocket extends Socket {

    private static final int BUFFER = 8_192; // as large as what Jedis reads at once

    private final SocketChannel channel;
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(BUFFER);
    private final AnswerDeadline answerDeadline;
    private final SocketOutput output;

    /** Null if it leads to a port. */
    private volatile @Nullable SocketFile file;

    /** Nothing has come, and is not to be waited for. A layer of TLS goes on later, as after any timeout. */
    static final class NothingYetException extends SocketTimeoutException {

        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it does nothing: how it came here is no news
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    private NodeSocket(SocketChannel channel, AnswerDeadline answerDeadline) throws IOException {
        super((SocketImpl) null);
        this.channel = channel;
        this.answerDeadline = answerDeadline;
        this.output = new SocketOutput(channel, answerDeadline);
    }

    /**
     * Connects to the first address that accepts. What is read and written then has the same deadline, until
     * {@link AnswerDeadline#boundEachAnswer()}.
     *
     * @param host whose addresses they are, for messages
     * @param timeoutMillis for each answer after that
     * @param deadline on the scale of {@link System#nanoTime()}: for trying all addresses
     * @throws LocalFailureException if there is no connection for a reason that is in this process
     */
    static NodeSocket connect(InetAddress[] addresses, String host, int port, int timeoutMillis, long deadline)
            throws IOException {
        IOException failure = null;
        for (InetAddress address : addresses) {
            try {
                NodeSocket socket = open(false, timeoutMillis);
                socket.answerDeadline.boundAll(deadline);
                socket.connect(new InetSocketAddress(address, port), deadline);
                return socket;
            } catch (LocalFailureException e) {
                throw e; // the next address needs a socket too
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure == null ? new IOException("host " + host + " has no address") : failure;
    }

    /**
     * Connects to a process on this machine.
     *
     * @param file that is there; null if none can be seen
     * @throws LocalFailureException if there is no connection for a reason that is in this process
     */
    static NodeSocket connect(
            UnixDomainSocketAddress address, @Nullable SocketFile file, int timeoutMillis, long deadline)
            throws IOException {
        NodeSocket socket = open(true, timeoutMillis);
        socket.file = file;
        socket.answerDeadline.boundAll(deadline);
        socket.connect(address, deadline);
        return socket;
    }

    private static NodeSocket open(boolean unix, int timeoutMillis) throws LocalFailureException {
        SocketChannel channel = null;
        NodeSocket socket = null;
        try {
            channel = unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
            channel.configureBlocking(false);
            if (!unix) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            }
            socket = new NodeSocket(channel, new AnswerDeadline(timeoutMillis));
            return socket;
        } catch (IOException | UnsupportedOperationException | OutOfMemoryError e) { // the node was asked nothing yet
            throw LocalFailureException.of(e);
        } finally {
            if (channel != null && socket == null) {
                close(channel);
            }
        }
    }

    /** @throws LocalFailureException if this process cannot open a socket */
    static void requireFiles() throws LocalFailureException {
        try {
            SocketChannel.open().close();
        } catch (IOException e) {
            throw LocalFailureException.of(e);
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // it is of no use, and that is known already
        }
    }

    private void connect(SocketAddress remote, long deadline) throws IOException {
        boolean connected = false;
        try {
            boolean done = channel.connect(remote);
            while (!done) {
                AnswerDeadline.await(channel, SelectionKey.OP_CONNECT, deadline, "no connection");
                done = channel.finishConnect();
            }
            connected = true;
        } catch (BindException e) { // this host has no port left for it, or no address
            throw remote instanceof InetSocketAddress ? LocalFailureException.of(e) : e;
        } finally {
            if (!connected) {
                close(channel);
            }
        }
    }

    /** Returns when this socket stops waiting for its peer. */
    AnswerDeadline answerDeadline() {
        return answerDeadline;
    }

    /** Returns whether the file by which it was connected is that of another process by now. */
    boolean isFileReplaced() {
        SocketFile known = file;
        return known != null && known.isReplaced();
    }

    SocketChannel channel() {
        return channel;
    }

    /** Returns whether the peer has closed, or sent what was not requested. To be called when no reply is expected. */
    boolean isUnusable() {
        try {
            return channel.read(incoming.clear()) != 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (length == 0) {
                    return 0;
                }
                incoming.clear().limit(Math.min(length, BUFFER));
                int read = channel.read(incoming);
                if (read == 0) {
                    read = readLater();
                }
                incoming.flip().get(bytes, offset, Math.max(0, read));
                return read;
            }

            private int readLater() throws IOException {
                if (!answerDeadline.isAwaited()) {
                    throw new NothingYetException();
                }
                long answerBy = answerDeadline.forAnswer();
                int read = 0;
                while (read == 0) {
                    AnswerDeadline.await(channel, SelectionKey.OP_READ, answerBy, "no answer");
                    read = channel.read(incoming);
                }
                return read;
            }
        };
    }

    @Override
    public SocketOutput getOutputStream() {
        return output;
    }

    @Override
    public void setSoTimeout(int timeout) {
        answerDeadline.setTimeoutMillis(timeout);
    }

    @Override
    public int getSoTimeout() {
        return answerDeadline.timeoutMillis();
    }

    /** Returns that none is set. The inherited method would open a socket of its own to find out. */
    @Override
    public int getSoLinger() {
        return -1;
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return !channel.isOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return !channel.isOpen();
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() {
        close(channel);
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return getRemoteSocketAddress() instanceof InetSocketAddress remote ? remote.getAddress() : null;
    }

    @Override
    public int getPort() {
        return getRemoteSocketAddress() instanceof InetSocketAddress remote ? remote.getPort() : 0;
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        try {
            return channel.getRemoteAddress();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        try {
            return channel.getLocalAddress();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return "NodeSocket[" + getRemoteSocketAddress() + "]";
    }
}
