// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.Owner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One, three and five real nodes, and two processes that use one lock on them.
 *
 * <p>The nodes are started once; each test has a lock of its own, and leaves every node well.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "on {0} nodes")
@ValueSource(ints = {1, 3, 5})
abstract class ContractOnNodes {

    static final String PREFIX = "holdfast";

    /** Enough for a test that waits, and less than what a test may take. */
    static final Duration PATIENCE = ofSeconds(20);

    private final IntFunction<List<? extends Node>> starter;

    @Parameter
    int count;

    List<? extends Node> nodes = List.of();
    int quorum;
    int tests;
    String lock;
    ExecutorService threads;
    LockConnectionFactory locks;
    LockConnectionFactory otherProcess;

    /** @param starter starts so many nodes */
    ContractOnNodes(IntFunction<List<? extends Node>> starter) {
        this.starter = starter;
    }

    @BeforeParameterizedClassInvocation
    void start() {
        nodes = starter.apply(count);
        quorum = count / 2 + 1;
    }

    @AfterParameterizedClassInvocation
    void stop() {
        nodes.parallelStream().forEach(Node::close);
    }

    @BeforeEach
    void connect(TestInfo test) {
        lock = test.getTestMethod().orElseThrow().getName() + "-" + ++tests;
        threads = Executors.newCachedThreadPool();
        locks = connect(Map.of("guard", "OFF")); // nodes that were started just now would be in quarantine
        otherProcess = connect(Map.of("guard", "OFF"));
    }

    LockConnectionFactory connect(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("nodes", nodes.stream().map(Node::uri).collect(Collectors.joining(",")));
        all.put("nodeTimeoutMillis", "1000"); // a machine that is busy with other tests is not a node that hangs
        return Holdfast.connect(all);
    }

    @AfterEach
    void disconnect() {
        nodes.parallelStream().forEach(Node::recover);
        locks.close();
        otherProcess.close();
        threads.shutdownNow();
    }

    LockRequest request() {
        return LockRequest.of(lock).waitTimeout(PATIENCE);
    }

    LockRequest now() {
        return LockRequest.of(lock).waitTimeout(Duration.ZERO);
    }

    boolean isFree() throws Exception {
        try (LockConnection connection = otherProcess.getConnection()) {
            return connection.tryAcquire(now()).isPresent();
        }
    }

    String lockKey() {
        return PREFIX + ":{" + lock + "}:lock";
    }

    /** An acquisition waits for a quorum only, and may have found a node without our scripts; a renewal heals that. */
    Owner ownerOnEveryNode(Lease lease) throws Exception {
        soon().until(lease::renew); // a busy machine may not have a quorum confirm the first one in time
        Set<String> owners = soon().until(this::owners, seen -> seen.size() == 1 && !seen.contains(null));
        return new Owner(owners.iterator().next());
    }

    void awaitReleasedOnEveryNode() {
        soon().until(this::owners, Collections.singleton(null)::equals);
    }

    Set<String> owners() {
        Set<String> owners = new HashSet<>();
        nodes.forEach(node -> {
            String written = node.ask(jedis -> jedis.get(lockKey()));
            owners.add(written == null ? null : written.split(" ", 3)[2]); // behind what the scripts keep there
        });
        return owners;
    }

    static ConditionFactory soon() {
        return await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(ofMillis(10));
    }
}
