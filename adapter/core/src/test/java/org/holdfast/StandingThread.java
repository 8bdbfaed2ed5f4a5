// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.Arrays;

/** Has a thread stand still for ever, as one that the JVM has lost. */
public final class StandingThread {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private StandingThread() {}

    /**
     * Has a thread stand still that waits in a method for long: anywhere else it might keep what all threads of the JVM
     * need. Skips the test on a JVM that cannot do that: none can from 23 on.
     */
    public static void standStillIn(String method, Thread thread) throws ReflectiveOperationException {
        if (!standsStillIn(method, thread)) {
            throw new IllegalStateException(thread + " has ended, and was not seen in " + method);
        }
    }

    /** Likewise; returns false if the thread ends and was not seen there. */
    public static boolean standsStillIn(String method, Thread thread) throws ReflectiveOperationException {
        assumeThat(Runtime.version().feature()).isLessThan(23);
        boolean[] stands = {false};
        await().pollInterval(PAUSE).until(() -> {
            stands[0] = isThereFor(method, thread) && standsStill(method, thread);
            return stands[0] || !thread.isAlive();
        });
        return stands[0];
    }

    /** It does not only come past. */
    private static boolean isThereFor(String method, Thread thread) throws InterruptedException {
        if (!isIn(method, thread)) {
            return false;
        }
        thread.join(PAUSE.toMillis());
        return isIn(method, thread);
    }

    private static boolean standsStill(String method, Thread thread) throws ReflectiveOperationException {
        call("suspend", thread);
        boolean isThere = isIn(method, thread);
        if (!isThere) { // it went on just now
            call("resume", thread);
        }
        return isThere;
    }

    public static boolean isIn(String method, Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private static void call(String method, Thread thread) throws ReflectiveOperationException {
        try {
            Thread.class.getMethod(method).invoke(thread);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(method + " is not possible", e.getCause());
        }
    }
}
