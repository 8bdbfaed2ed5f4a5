// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.holdfast.QuorumUnavailableException;

/**
 * Repeats a request while too few nodes answer it in time: that says nothing of what was asked. On a machine that is
 * too busy they do not, for a while.
 */
final class OnceAnswered {

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final long PAUSE_MILLIS = 100;

    private OnceAnswered() {}

    static <T> T ask(Callable<T> request) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return request.call();
            } catch (QuorumUnavailableException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
