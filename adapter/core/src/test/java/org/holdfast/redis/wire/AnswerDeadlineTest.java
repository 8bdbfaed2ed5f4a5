// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AnswerDeadlineTest {

    /** A process that stood still comes back when the deadline is over: the peer was faster all the same. */
    @Test
    void channel_thatIsReadyWhenTheDeadlineIsOver_isNotLate() throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel channel = SocketChannel.open(server.getLocalAddress());
                SocketChannel peer = server.accept()) {
            peer.write(ByteBuffer.allocate(1));
            channel.read(ByteBuffer.allocate(1)); // it has come
            peer.write(ByteBuffer.allocate(1));
            channel.configureBlocking(false);
            long over = System.nanoTime() - 1;
            AnswerDeadline.await(channel, SelectionKey.OP_WRITE, over, "nothing could be sent");
            channel.shutdownInput(); // readable from now on
            AnswerDeadline.await(channel, SelectionKey.OP_READ, over, "no answer");
        }
    }

    @Test
    void channel_thatIsNotReadyWhenTheDeadlineIsOver_isLate() throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
            channel.configureBlocking(false);
            assertThatExceptionOfType(SocketTimeoutException.class)
                    .isThrownBy(() ->
                            AnswerDeadline.await(channel, SelectionKey.OP_READ, System.nanoTime() - 1, "no answer"))
                    .withMessage("no answer in time");
        }
    }
}
