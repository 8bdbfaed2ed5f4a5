// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;

/** The main program of {@link NamesThatMoveTest}: takes a lock again and again, and prints what it is answered. */
final class NamedNodesClient {

    static final String GRANTED = "granted ";
    static final String REFUSED = "refused ";

    private NamedNodesClient() {}

    /** @param arguments nodes, and the longest TTL in milliseconds */
    public static void main(String[] arguments) throws Exception {
        Duration memory = Duration.ofMillis(Long.parseLong(arguments[1]));
        try (LockConnectionFactory locks = Holdfast.connect(MovingVoters.settings(arguments[0], memory));
                LockConnection connection = locks.getConnection()) {
            while (true) {
                System.out.println(answer(connection));
                Thread.sleep(50); // that of a moment ago says enough
            }
        }
    }

    private static String answer(LockConnection connection) throws InterruptedException {
        LockRequest request = LockRequest.of("named").ttl(Duration.ofSeconds(2)).waitTimeout(Duration.ZERO);
        try {
            Optional<Lease> lease = connection.tryAcquire(request);
            lease.ifPresent(Lease::release);
            return lease.map(granted -> GRANTED + granted.token()).orElse("taken");
        } catch (LockException e) {
            return REFUSED + e.getMessage().replace('\n', ' ');
        }
    }
}
