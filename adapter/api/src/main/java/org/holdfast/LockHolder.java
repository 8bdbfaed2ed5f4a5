// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A holder of a lock, as the nodes report it: to be shown to people, and never to be relied upon.
 *
 * <p>A holder describes itself when it takes the lock, so a holder of another process is shown as it was then. A value
 * that no Holdfast has written is a holder all the same, of which nothing is known: then texts are {@link #UNKNOWN},
 * numbers 0 and the moment {@link Instant#EPOCH}.
 *
 * @param name the lock's name
 * @param mode how it is held; {@link LockMode#EXCLUSIVE} if that is unknown
 * @param host the machine that the holder's process runs on, by its own account: printable ASCII, at most 40 characters
 * @param pid the process there
 * @param thread the thread that took the lock, or {@code transaction} and what stands for it: printable ASCII, cut off
 *     where it is long, and a question mark for everything else
 * @param since when it was taken, by the clock of the holder's machine
 * @param token its fencing token; if the lock was handed off inside another process since, that of the first there
 * @param remaining for how long a node keeps the lock at the most if it is not renewed; zero if no node knows an end
 * @param nodeCount how many nodes report it. A holder that is reported by less than a majority of the {@link
 *     LockConnectionFactory#nodeCount()} does not have the lock: it is just asking, has just released the lock, or has
 *     lost it
 * @param here whether the holder is in this very process. Then all the rest is as it is now, and not only as it was
 *     written
 */
public record LockHolder(
        String name,
        LockMode mode,
        String host,
        long pid,
        String thread,
        Instant since,
        long token,
        Duration remaining,
        int nodeCount,
        boolean here) {

    /** Stands for a host or a thread of which nothing is known. */
    public static final String UNKNOWN = "unknown";

    /**
     * Checks that everything is there.
     *
     * @param name the lock's name
     * @param mode how it is held
     * @param host the machine that the holder's process runs on
     * @param pid the process there
     * @param thread the thread that took the lock
     * @param since when it was taken
     * @param token its fencing token
     * @param remaining for how long a node keeps the lock at the most if it is not renewed
     * @param nodeCount how many nodes report it
     * @param here whether the holder is in this very process
     */
    public LockHolder {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(thread, "thread");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(remaining, "remaining");
        if (pid < 0 || token < 0 || nodeCount < 0 || remaining.isNegative()) {
            throw new IllegalArgumentException("pid, token, nodeCount and remaining must not be negative, were " + pid
                    + ", " + token + ", " + nodeCount + " and " + remaining);
        }
    }
}
