// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waits for a channel that does not block. Needed only where an answer comes in parts, so its cost does not matter. */
final class ChannelWait {

    /** How long to pause between two attempts where there is no file for a selector. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private ChannelWait() {}

    /**
     * Returns when the channel is ready, or may be. An interrupt is kept.
     *
     * @param operation of {@link SelectionKey}
     * @param deadline on the scale of {@link System#nanoTime()}
     * @param what has not come when the deadline is over, for the message
     */
    static void await(SocketChannel channel, int operation, long deadline, String what) throws IOException {
        boolean interrupted = Thread.interrupted();
        try (Selector selector = selector()) {
            if (selector != null) {
                channel.register(selector, operation);
            }
            long left = deadline - System.nanoTime();
            while (left > 0) {
                if (selector == null) {
                    LockSupport.parkNanos(Math.min(left, POLL_NANOS));
                    return; // the caller tries, and comes again
                }
                if (selector.select(TimeUnit.NANOSECONDS.toMillis(left) + 1) > 0) {
                    return;
                }
                interrupted |= Thread.interrupted(); // an interrupt ends a select; wait on, restore the status later
                left = deadline - System.nanoTime();
            }
            throw new SocketTimeoutException(what + " in time");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns null where this process has no file left for one: an open connection must not be lost by that. */
    private static @Nullable Selector selector() {
        try {
            return Selector.open();
        } catch (IOException | OutOfMemoryError e) {
            return null;
        }
    }
}
