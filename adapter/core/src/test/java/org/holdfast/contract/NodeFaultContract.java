// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.LockConnection;
import org.holdfast.QuorumUnavailableException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a lock when some of its nodes fail, and when most of them do. */
abstract class NodeFaultContract extends ContractOnNodes {

    private final Set<Fault> faults;

    /** @param faults what these nodes can suffer */
    NodeFaultContract(IntFunction<List<? extends Node>> starter, Set<Fault> faults) {
        super(starter);
        this.faults = faults;
    }

    Set<Fault> faults() {
        return faults;
    }

    /** The most nodes that a lock can do without: none of one. */
    private List<? extends Node> minority() {
        return nodes.subList(quorum, nodes.size());
    }

    /** As many others. */
    private List<? extends Node> otherMinority() {
        return nodes.subList(0, nodes.size() - quorum);
    }

    private List<? extends Node> majority() {
        return nodes.subList(0, quorum);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void acquire_whileAMinorityFails_goesOnAndUsesItWhenItIsBack(Fault fault) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire(request()).release();
            minority().parallelStream().forEach(node -> node.suffer(fault));
            for (int i = 0; i < 20; i++) {
                connection.acquire(request()).release();
            }
            await().until(() -> isFree());

            minority().parallelStream().forEach(Node::recover);
            otherMinority().parallelStream().forEach(node -> node.suffer(fault));
            assertThat(connection.acquire(request()).isHeld())
                    .as("by a quorum with the first")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void lease_heldWhileAMinorityFails_isKeptAndReleasedThereWhenItIsBack(Fault fault) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request());
            ownerOnEveryNode(lease);
            minority().parallelStream().forEach(node -> node.suffer(fault));
            assertThat(lease.renew()).isTrue();
            assertThat(isFree()).isFalse();
            lease.release();

            minority().parallelStream().forEach(Node::recover);
            awaitReleasedOnEveryNode();
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void acquire_whileAMajorityFails_saysWhatIsWrongWithEachNodeAndRecovers(Fault fault) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            majority().parallelStream().forEach(node -> node.suffer(fault));
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire(request().waitTimeout(ofMillis(400))))
                    .withMessageContaining("lock '" + lock + "': it needs the votes of " + quorum + " of "
                            + nodes.size() + " nodes, " + (nodes.size() - quorum) + " could vote")
                    .satisfies(e -> assertThat(e.failures().keySet())
                            .containsExactlyInAnyOrderElementsOf(
                                    majority().stream().map(Node::uri).toList()))
                    .satisfies(e -> assertThat(e.failures().values())
                            .allSatisfy(cause -> assertThat(cause).containsPattern(fault.symptom())));

            majority().parallelStream().forEach(Node::recover);
            assertThat(connection.acquire(request()).isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void lease_whileAMajorityFails_isLostAtItsEndAndSaysWhy(Fault fault) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(request().ttl(ofSeconds(3)));
            BlockingQueue<LeaseLoss> told = new LinkedBlockingQueue<>();
            lease.onLost(told::add);
            majority().parallelStream().forEach(node -> node.suffer(fault));

            LeaseLoss loss = told.poll(20, TimeUnit.SECONDS);
            assertThat(loss.reason())
                    .contains(majority().stream().map(Node::uri).toList());
            assertThat(lease.isHeld()).isFalse();
        }
    }
}
