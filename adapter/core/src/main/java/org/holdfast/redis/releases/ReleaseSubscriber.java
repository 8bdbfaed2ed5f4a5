// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import org.holdfast.protocol.queue.ReleaseNotifications;

/** Receives releases by other processes, until it is closed. */
public interface ReleaseSubscriber extends ReleaseNotifications, AutoCloseable {

    /** Stops listening; its threads end by and by. */
    void stop();

    /** Stops listening, and waits for its threads to end, until 1 s after {@link #stop()}. */
    @Override
    void close();
}
