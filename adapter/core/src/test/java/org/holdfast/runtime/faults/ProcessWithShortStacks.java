// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/**
 * A main program of {@link ShortStackTest}: a thread waits for a lock behind another one, and its stack ends somewhere
 * on the way into the line or out of it. Prints how many waiters there are when only the other one waits, and whether
 * the next one has the lock soon when it is free.
 *
 * <p>In a process of its own, which has done nothing else before: what the JDK does once for each place in the code,
 * such as to link a method, needs much of a stack.
 */
final class ProcessWithShortStacks {

    private static final int STACK_BYTES = 256 * 1024;
    private static final int CALLS = 1_500;
    private static final Duration WAIT = ofMillis(2);

    private static String name = "";
    private static int overflows;

    private ProcessWithShortStacks() {}

    public static void main(String[] arguments) throws Exception {
        name = arguments[1];
        Map<String, String> settings = Map.of("nodes", arguments[0], "guard", "OFF", "nodeTimeoutMillis", "1000");
        try (LockConnectionFactory others = Holdfast.connect(Map.of("nodes", arguments[0], "guard", "OFF"));
                LockConnection other = others.getConnection();
                LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            Lease held = other.acquire(request(ofSeconds(10)));
            Thread first = new Thread(() -> useOnce(connection, ofSeconds(60)));
            first.start();
            while (waiters() < 1) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            Thread deep = new Thread(null, () -> waitAgainAndAgain(connection), "deep", STACK_BYTES);
            deep.start();
            deep.join();
            System.out.println("overflows: " + overflows);
            System.out.println("waiters=" + waiters());
            held.release();
            first.join();
            long since = System.nanoTime();
            useOnce(connection, ofSeconds(5));
            System.out.println(
                    "soon=" + (System.nanoTime() - since < ofSeconds(2).toNanos()));
            System.out.println("free=" + locks.holders(name).isEmpty());
        }
    }

    private static LockRequest request(Duration patience) {
        return LockRequest.of(name).scope(LeaseScope.DETACHED).waitTimeout(patience);
    }

    private static void useOnce(LockConnection connection, Duration patience) {
        try {
            connection.tryAcquire(request(patience)).ifPresent(Lease::release);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int waiters() throws Exception {
        int waiters = 0;
        for (ObjectName name :
                ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("org.holdfast:*"), null)) {
            waiters += (Integer) ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Waiters");
        }
        return waiters;
    }

    /** With as much of the stack as its usual way needs, and no more. */
    private static void waitAgainAndAgain(LockConnection connection) {
        int steps = 0;
        for (int call = 0; call < CALLS; call++) {
            if (!isDone(steps, () -> useOnce(connection, WAIT))) {
                overflows++;
                steps++;
            }
        }
    }

    /** Does it so many steps up from where the stack ends; returns whether there was room for it. */
    private static boolean isDone(int steps, Runnable work) {
        int[] left = {steps};
        try {
            descend(left, work);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    /** @param left counts the steps up; less than 0 when the work was begun */
    private static void descend(int[] left, Runnable work) {
        try {
            descend(left, work);
        } catch (StackOverflowError e) {
            left[0]--;
            if (left[0] != -1) {
                throw e;
            }
            work.run();
        }
    }
}
