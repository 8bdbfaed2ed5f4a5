// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.holdfast.protocol.env.Time;

/**
 * The order in which a lock service ends. Each step is taken though the one before has failed, as without memory: a
 * service is closed once, and must not renew its leases for ever.
 */
final class ServiceEnd {

    private static final long LONGEST_STOP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private ServiceEnd() {}

    /** Returns until when a service that is stopped now waits for answers. */
    static long deadline(Time time) {
        return time.nanoTime() + LONGEST_STOP_NANOS;
    }

    /**
     * Ends a service. If it fails to end what is held, no lock is released: its holder may work on, and the nodes keep
     * it until its TTL ends.
     *
     * @param holders ends what is held, or waits for that; returns whether a lock was lost
     */
    static void of(LockService service, Time time, BooleanSupplier holders) {
        boolean lost = true;
        boolean ended = false;
        try {
            service.refuse();
            lost = holders.getAsBoolean();
            ended = true;
        } finally {
            try {
                if (lost) {
                    service.awaitListeners();
                }
            } finally {
                stop(service, time, ended);
            }
        }
    }

    private static void stop(LockService service, Time time, boolean releases) {
        long deadline = deadline(time);
        try {
            service.stop();
        } finally {
            try {
                service.release(releases ? deadline : time.nanoTime());
            } finally {
                service.finish(deadline);
            }
        }
    }
}
