// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * What it costs to keep leases: many, with a TTL of 30 s, on three nodes, while the process does nothing else.
 *
 * <p>Each is renewed every 10 s. The processor time is that of the whole client process; beside it that of an idle one.
 */
public final class ManyLeases {

    private static final int LEASES = Integer.getInteger("leases", 50_000);
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration MEASURED = Duration.ofSeconds(Integer.getInteger("seconds", 60));

    private ManyLeases() {}

    public static void main(String[] arguments) throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"))) {
            String uris = redis.all().stream().map(RedisServer::uri).collect(Collectors.joining(","));
            try (LockConnectionFactory locks = Holdfast.connect(Map.of("nodes", uris, "guard", "OFF"));
                    LockConnection connection = locks.getConnection()) {
                System.out.println("| leases | processor, % of one | threads | still held |");
                System.out.println("| --- | --- | --- | --- |");
                connection.acquire("first").release();
                measure(List.of());
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < LEASES; i++) {
                    leases.add(connection.acquire(
                            LockRequest.of("many-" + i).ttl(TTL).detached()));
                }
                Thread.sleep(TTL.toMillis()); // renewed code is compiled code
                measure(leases);
            }
        }
    }

    private static void measure(List<Lease> leases) throws InterruptedException {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long processor = system.getProcessCpuTime();
        long begun = System.nanoTime();
        Thread.sleep(MEASURED.toMillis());
        double part = (double) (system.getProcessCpuTime() - processor) / (System.nanoTime() - begun);
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long held = leases.stream().filter(Lease::isHeld).count();
        System.out.printf("| %d | %.1f | %d | %d |%n", leases.size(), part * 100, threads, held);
    }
}
