// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.holdfast.history.Verdict;

/**
 * Faults that happen at one time, the recovery after them, and what the history of all that says.
 *
 * @param recoveryMillis until each client had got a lock that it had asked for when all was over
 * @param holds how many there were in this round
 * @param verdict on everything since the deployment was started
 */
record Round(long recoveryMillis, long holds, Verdict verdict) {

    /** Quarantine, a clock that is watched for as long as a TTL, tickets and a busy machine. */
    private static final long PATIENCE_MILLIS = 30_000;

    /** Processes of clients may just have been started, several at a time on a busy machine. */
    private static final long START_MILLIS = 120_000;

    private static final long PULSE_MILLIS = 25;

    /** Lets these faults happen, one beginning after the other. */
    static Round of(List<Fault> faults, Deployment deployment, Random random) throws InterruptedException {
        long before = deployment.observations().count();
        awaitWork(deployment, System.nanoTime(), START_MILLIS, "before " + faults);
        List<Fault.Course> courses = new ArrayList<>();
        long length = 0;
        for (Fault fault : faults) {
            courses.add(fault.begin(deployment, random));
            length = Math.max(length, fault.length().toMillis());
        }
        long over = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(length);
        while (System.nanoTime() - over < 0) {
            Threads.sleep(PULSE_MILLIS);
            courses.forEach(Fault.Course::again);
        }
        for (Fault.Course course : courses) {
            course.end();
        }
        deployment.heal();
        long healed = System.nanoTime();
        awaitWork(deployment, healed, PATIENCE_MILLIS, "after " + faults);
        long recovery = System.nanoTime() - healed;
        Verdict verdict = deployment.verdict();
        return new Round(
                TimeUnit.NANOSECONDS.toMillis(recovery),
                deployment.observations().count() - before,
                verdict);
    }

    private static void awaitWork(Deployment deployment, long since, long patienceMillis, String when)
            throws InterruptedException {
        for (ClientProcess client : deployment.clients()) {
            if (!deployment.observations().awaitGrantAfter(client.number(), since, patienceMillis)) {
                throw new AssertionError("client " + client.number() + " got no lock within " + patienceMillis + " ms, "
                        + when + (client.isAlive() ? "" : ": it has ended"));
            }
        }
    }
}
