// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * What goes out of a socket. A write waits until the peer has taken all, or it waits for nothing and keeps what the
 * peer does not take: a thread that writes to several nodes must not wait for one of them. A caller asks {@link
 * #isFull} before it writes one more request.
 *
 * <p>Memory for that is used only then. For one thread at a time.
 */
final class SocketOutput extends OutputStream {

    static final int BUFFER = 8_192; // as large as what Jedis writes at once

    /** When so much is kept, no more requests are to be written until the peer takes some of it. */
    static final int MOST_KEPT = 4 * 1024 * 1024;

    private static final byte[] NONE = {};

    private final SocketChannel channel;
    private final AnswerDeadline deadline;
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(BUFFER);
    private boolean keeps;
    private byte[] kept = NONE;
    private int from;
    private int to;

    /** How many bytes the peer took after they had been kept. */
    private long taken;

    SocketOutput(SocketChannel channel, AnswerDeadline deadline) {
        this.channel = channel;
        this.deadline = deadline;
    }

    /** No write waits for the peer from now on. */
    void keepWhatIsNotTaken() {
        keeps = true;
    }

    /** Returns whether something was written that the peer has not taken yet. */
    boolean hasKept() {
        return from < to;
    }

    /** Returns whether so much is kept that a request would have to wait for long. */
    boolean isFull() {
        return to - from >= MOST_KEPT;
    }

    /** Returns a number that grows when the peer takes some of what was kept. */
    long taken() {
        return taken;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            if (keeps) {
                sendOrKeep(bytes, offset, length);
            } else {
                sendAll(bytes, offset, length);
            }
        } catch (SocketTimeoutException e) {
            channel.close(); // Jedis would look for an error that the node may have sent, however long it is
            throw e;
        } catch (IOException e) {
            throw NodeErrors.ofRefusedConnection(whatHasCome()).orElse(e);
        }
    }

    /** Returns what the peer has sent that was not read, or the first of it. */
    private byte[] whatHasCome() {
        try {
            outgoing.clear();
            channel.read(outgoing);
            byte[] come = new byte[outgoing.flip().remaining()];
            outgoing.get(come);
            return come;
        } catch (IOException e) {
            return NONE;
        }
    }

    private void sendAll(byte[] bytes, int offset, int length) throws IOException {
        long until = deadline.forWriting();
        int sent = sendNow(bytes, offset, length);
        while (sent < length) {
            AnswerDeadline.await(channel, SelectionKey.OP_WRITE, until, "nothing could be sent");
            sent += sendNow(bytes, offset + sent, length - sent);
        }
    }

    /** Sends what the peer takes now, and returns how much that is. */
    private int sendNow(byte[] bytes, int offset, int length) throws IOException {
        int sent = 0;
        boolean taken = true;
        while (taken && sent < length) {
            int part = Math.min(length - sent, BUFFER);
            outgoing.clear().put(bytes, offset + sent, part);
            int now = channel.write(outgoing.flip());
            sent += now;
            taken = now == part;
        }
        return sent;
    }

    private void sendOrKeep(byte[] bytes, int offset, int length) throws IOException {
        sendKept();
        int sent = hasKept() ? 0 : sendNow(bytes, offset, length);
        if (sent < length) {
            keep(bytes, offset + sent, length - sent);
        }
    }

    private void keep(byte[] bytes, int offset, int length) {
        int before = to - from;
        if (to + length > kept.length) {
            byte[] room = before + length > kept.length ? new byte[2 * (before + length)] : kept;
            System.arraycopy(kept, from, room, 0, before);
            kept = room;
            from = 0;
            to = before;
        }
        System.arraycopy(bytes, offset, kept, to, length);
        to += length;
    }

    /**
     * Sends of what is kept what the peer takes now.
     *
     * @return whether that was all
     */
    boolean sendKept() throws IOException {
        int sent = sendNow(kept, from, to - from);
        from += sent;
        taken += sent;
        if (!hasKept()) {
            kept = NONE;
            from = 0;
            to = 0;
        }
        return !hasKept();
    }
}
