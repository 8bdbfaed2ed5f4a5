// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;

/**
 * The main program of {@link ClusterFrozenClientTest}: holds some locks until it has lost them, and takes them again
 * one after the other. Prints what it believes, each time with a moment before it has asked.
 */
final class FrozenHolder {

    /** It has all locks. */
    static final String HOLDS = "holds";

    /** It believes so at this moment or later. */
    static final String HELD = "held";

    /** It has taken one again. */
    static final String TAKEN = "taken";

    private FrozenHolder() {}

    /** @param arguments nodes, the longest TTL in milliseconds, and the names of the locks */
    public static void main(String[] arguments) throws Exception {
        Duration memory = Duration.ofMillis(Long.parseLong(arguments[1]));
        try (LockConnectionFactory locks = Holdfast.connect(MovingVoters.settings(arguments[0], memory));
                LockConnection connection = locks.getConnection()) {
            List<Lease> leases = new ArrayList<>();
            for (String name : Arrays.asList(arguments).subList(2, arguments.length)) {
                leases.add(connection.acquire(request(name).waitTimeout(ofSeconds(60))));
            }
            say(HOLDS, "", System.nanoTime());
            while (!leases.isEmpty()) {
                for (Lease lease : List.copyOf(leases)) {
                    long before = System.nanoTime();
                    if (lease.isHeld()) {
                        say(HELD, lease.name(), before);
                    } else if (isTaken(connection, lease.name())) {
                        say(TAKEN, lease.name(), before);
                        leases.remove(lease);
                    }
                }
                Thread.sleep(5);
            }
        }
    }

    private static LockRequest request(String name) {
        return LockRequest.of(name).ttl(ofSeconds(3));
    }

    private static boolean isTaken(LockConnection connection, String name) throws InterruptedException {
        try {
            Optional<Lease> lease = connection.tryAcquire(request(name).waitTimeout(Duration.ZERO));
            lease.ifPresent(Lease::release);
            return lease.isPresent();
        } catch (LockException e) {
            return false;
        }
    }

    private static void say(String what, String name, long moment) {
        System.out.println(what + " " + name + " " + moment);
    }
}
