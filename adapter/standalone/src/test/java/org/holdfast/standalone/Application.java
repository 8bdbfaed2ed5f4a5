// SPDX-License-Identifier: Apache-2.0
package org.holdfast.standalone;

import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** An application that has a Jedis of its own. Takes and releases a lock, and prints where its Jedis comes from. */
final class Application {

    private Application() {}

    /** @param args the address of a node */
    public static void main(String[] args) throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(Map.of(
                        "nodes", args[0],
                        "ttlMillis", "3000",
                        "maxLeaseTtlMillis", "3000",
                        "nodeTimeoutMillis", "1500"));
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(LockRequest.of("order").waitTimeout(Duration.ofSeconds(30)));
            lease.requireHeld();
            System.out.println(lease.release());
        }
        System.out.println(Class.forName("redis.clients.jedis.Jedis")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation());
    }
}
