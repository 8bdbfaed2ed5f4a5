// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a lock that no other caller wants costs, from request to release: what is no matter of time. */
@Timeout(180)
class CostTest {

    private static final int WARM_UP = 3_000;
    private static final int PAIRS = 1_000;

    private static final LockRequest REQUEST = LockRequest.of("cost").waitTimeout(Duration.ofSeconds(30));

    /** The optimizing compiler leaves out a fifth of that. */
    private static final long BYTES_ALLOCATED = 5_000;

    /** Where the words of the calls were objects, and lists of one were made at each step, it was 4,200 to 5,000. */
    private static final long BYTES_ALLOCATED_ON_ONE = 3_600;

    /** Two calls of scripts, and what these call: 13. On a busy machine those of looks come to some more. */
    private static final double COMMANDS = 18;

    /** Both ways: 754, and those of looks. The source of a script would be 5,000 more. */
    private static final double BYTES_SENT = 1_500;

    @Test
    void pair_onThreeNodes_allocatesLittle() throws Exception {
        try (RedisServers nodes = RedisServers.start(3, Path.of("target", "redis"));
                LockConnectionFactory factory = connect(nodes.all());
                LockConnection locks = factory.getConnection()) {
            assertThat(allocated(locks)).isBetween(500L, BYTES_ALLOCATED);
        }
    }

    @Test
    void pair_onOneNode_allocatesLittle() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory factory = connect(List.of(node));
                LockConnection locks = factory.getConnection()) {
            assertThat(allocated(locks)).isBetween(500L, BYTES_ALLOCATED_ON_ONE);
        }
    }

    /** Returns how many bytes a pair allocates on the caller's thread, which reads the answers too. */
    private static long allocated(LockConnection locks) throws InterruptedException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long caller = Thread.currentThread().getId();
        take(locks, WARM_UP);
        long before = threads.getThreadAllocatedBytes(caller);
        take(locks, PAIRS);
        return (threads.getThreadAllocatedBytes(caller) - before) / PAIRS;
    }

    @Test
    void pair_onOneNode_isTwoCallsOfFewCommandsAndBytes() throws Exception {
        try (RedisServer node = RedisServer.start(Path.of("target", "redis"));
                LockConnectionFactory factory = connect(List.of(node));
                LockConnection locks = factory.getConnection()) {
            take(locks, 10);
            Supplier<String> stats = () -> node.ask("INFO stats");
            Supplier<String> calls = () -> node.ask("INFO commandstats");
            String before = stats.get();
            long callsBefore = field(calls.get(), "cmdstat_evalsha:calls=");
            take(locks, PAIRS);
            double callsEach = (field(calls.get(), "cmdstat_evalsha:calls=") - callsBefore) / (double) PAIRS;
            String after = stats.get();
            assertThat(callsEach).as("calls").isBetween(2.0, 2.2);
            assertThat(each(before, after, "total_commands_processed:"))
                    .as("commands")
                    .isBetween(2.0, COMMANDS);
            assertThat(each(before, after, "total_net_input_bytes:") + each(before, after, "total_net_output_bytes:"))
                    .as("bytes")
                    .isBetween(100.0, BYTES_SENT);
        }
    }

    private static LockConnectionFactory connect(List<RedisServer> nodes) {
        return Holdfast.connect(Map.of(
                "nodes",
                nodes.stream().map(RedisServer::uri).collect(Collectors.joining(",")),
                "maxLeaseTtlMillis",
                "4000",
                "ttlMillis",
                "4000",
                "nodeTimeoutMillis",
                "2000"));
    }

    private static void take(LockConnection locks, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            locks.acquire(REQUEST).release();
        }
    }

    private static double each(String before, String after, String field) {
        return (field(after, field) - field(before, field)) / (double) PAIRS;
    }

    private static long field(String info, String name) {
        Matcher found = Pattern.compile(name + "(\\d+)").matcher(info);
        assertThat(found.find()).as("%s in %s", name, info).isTrue();
        return Long.parseLong(found.group(1));
    }
}
