// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import javax.management.JMX;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.Processes;
import org.holdfast.runtime.management.LockServiceMXBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ManagementTest {

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private Processes processes;
    private LockServiceMXBean bean;

    @BeforeEach
    void start() throws Exception {
        Set<ObjectName> before = names();
        processes = Processes.start(3, 1, Map.of("ttlMillis", "6000", "nodeTimeoutMillis", "3000"));
        bean = beanSince(before);
    }

    private LockServiceMXBean beanSince(Set<ObjectName> before) throws Exception {
        Set<ObjectName> added = names();
        added.removeAll(before);
        assertThat(added).hasSize(1);
        return JMX.newMXBeanProxy(server, added.iterator().next(), LockServiceMXBean.class);
    }

    private Set<ObjectName> names() throws Exception {
        return server.queryNames(new ObjectName("org.holdfast:type=LockService,*"), null);
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    @Test
    void counters_tellWhatWasDone() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        Lease again = processes.connection(0).acquire("a");
        assertThat(bean.getAcquired()).isOne();
        assertThat(bean.getReentered()).isOne();
        assertThat(bean.getHeldNames()).containsExactly("a");
        assertThat(bean.getHeld()).isOne();
        assertThat(bean.getAcquireMicrosMax()).isPositive();
        assertThat(bean.getAcquireMicrosMedian()).isPositive().isLessThanOrEqualTo(bean.getAcquireMicros99());

        assertThat(Processes.onAnotherThread(() -> processes.connection(0).tryAcquire(waiting(50))))
                .isEmpty();
        assertThat(bean.getTimedOut()).isOne();

        FutureTask<Lease> waiter = processes.acquire(0, LockRequest.of("a"));
        await().until(() -> bean.getWaiters() == 1);
        lease.release();
        again.release();
        waiter.get().release();
        assertThat(bean.getWaiters()).isZero();
        assertThat(bean.getHeld()).isZero();
        assertThat(bean.getReleased()).isEqualTo(2 - bean.getHandedOff());
    }

    private static LockRequest waiting(long millis) {
        return LockRequest.of("a").waitTimeout(ofMillis(millis));
    }

    @Test
    void locks_thatCallersWaitedFor_areShownByCountAndByTime() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        assertThat(bean.getMostWaits()).isEmpty();
        for (int i = 0; i < 2; i++) {
            assertThat(Processes.onAnotherThread(() -> processes.connection(0).tryAcquire(waiting(50))))
                    .isEmpty();
        }
        lease.release();
        processes.connection(0).acquire("b").release();
        assertThat(bean.getMostWaits()).isEqualTo(Map.of("a", 2L));
        assertThat(bean.getLongestWaitMillis()).containsOnlyKeys("a");
        assertThat(bean.getLongestWaitMillis().get("a")).isGreaterThanOrEqualTo(100);
    }

    @Test
    void operator_throughJmx_seesLocksAndReleasesOneByForce() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        assertThat(bean.listLocks(10)).singleElement().asString().startsWith("'a': EXCLUSIVE, held by '");
        assertThat(bean.describeLock("a"))
                .singleElement()
                .asString()
                .contains("with token " + lease.token())
                .endsWith("0 callers wait in line, 0 processes wait for its release");
        assertThat(bean.describeLock("b"))
                .singleElement()
                .asString()
                .startsWith("'b' is free, unless it is a semaphore: ask with its number of permits; 0 callers");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> bean.forceRelease("a", " "))
                .withMessageContaining("needs a reason");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bean.forceRelease("a", null))
                .withMessageContaining("needs a reason");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bean.forceRelease("a", "x".repeat(201)))
                .withMessageContaining("of 200 characters at the most");
        assertThat(lease.isHeld()).isTrue();
        try (LogLines audit = LogLines.of("org.holdfast.audit")) {
            assertThat(bean.forceRelease("a", "jane: it hangs")).hasSize(1);
            assertThat(audit.beginningWith("HF0214"))
                    .singleElement()
                    .asString()
                    .contains("because: 'a user of JMX that is not known: jane: it hangs'; removed: EXCLUSIVE 'a'");
        }
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void name_thatMovesCursorsAndForgesLines_isMaskedInWhatJmxReturns() throws Exception {
        String evil = "evil\u001b[2J\nforged";
        processes.connection(0).acquire(evil);
        assertThat(bean.getHeldNames()).containsExactly("evil?[2J?forged");
        assertThat(bean.forceRelease(evil, "a test").get(0)).startsWith("'evil?[2J?forged': EXCLUSIVE");
    }

    @Test
    void operator_throughJmx_seesPermitsAndTakesOneAway() throws Exception {
        LockRequest permit = LockRequest.semaphore("s", 3);
        Lease one = processes.connection(0).acquire(permit);
        Lease two = Processes.onAnotherThread(() -> processes.connection(0).acquire(permit));
        assertThat(bean.listLocks(10)).hasSize(2).allMatch(line -> line.contains("'s': PERMIT, held by"));
        assertThat(bean.describeLock("s", 3))
                .hasSize(2)
                .allMatch(line -> line.contains("; a semaphore of 3 permits"))
                .anyMatch(line -> line.contains("with token " + two.token()));
        assertThat(bean.forceRelease("s", 3, one.token(), "jane: it hangs"))
                .singleElement()
                .asString()
                .contains("with token " + one.token());
        assertThat(one.isHeld()).isFalse();
        assertThat(two.isHeld()).isTrue();
        assertThat(bean.forceRelease("s", 3, one.token(), "jane: it hangs")).isEmpty();
        assertThat(bean.forceRelease("s", 3, 0, "jane: it hangs")).hasSize(1);
        assertThat(two.isHeld()).isFalse();
    }

    @Test
    void console_isShownWhatOperationsDoAndWhatTheyTake() throws Exception {
        MBeanInfo info = server.getMBeanInfo(names().iterator().next());
        assertThat(info.getDescription()).contains("lock service");
        assertThat(info.getAttributes())
                .allSatisfy(attribute -> assertThat(attribute.getDescription()).isNotEqualTo(attribute.getName()));
        for (MBeanOperationInfo operation : info.getOperations()) {
            assertThat(operation.getDescription()).isNotEqualTo(operation.getName());
            assertThat(operation.getImpact())
                    .isEqualTo(
                            operation.getName().equals("forceRelease")
                                    ? MBeanOperationInfo.ACTION
                                    : MBeanOperationInfo.INFO);
            for (MBeanParameterInfo parameter : operation.getSignature()) {
                assertThat(parameter.getName()).matches("limit|name|permits|token|reason");
                assertThat(parameter.getDescription()).isNotEqualTo(parameter.getName());
            }
        }
    }

    @Test
    void operator_throughJmx_withTooFewNodes_receivesAnExceptionOfTheJdk() throws Exception {
        processes.redis.get(0).kill();
        processes.redis.get(1).kill();
        assertThatIllegalStateException()
                .isThrownBy(() -> bean.listLocks(10))
                .withMessageStartingWith("HF0202")
                .withNoCause();
        assertThatIllegalStateException()
                .isThrownBy(() -> bean.describeLock("a\nforged"))
                .withMessageContaining("'a?forged'");
    }

    @Test
    void nodes_areShownWithTheirStateAndNoSecrets() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        await().until(() -> bean.getRenewed() > 0);
        assertThat(bean.getNodes()).hasSize(3).allSatisfy((address, state) -> assertThat(state)
                .isEqualTo("up"));

        assertThat(bean.getNodeStates())
                .hasSize(3)
                .containsOnlyKeys(bean.getNodes().keySet());
        assertThat(bean.getNodeStates().values()).containsOnly("VOTES");

        processes.redis.get(0).kill();
        processes.redis.get(1).kill();
        assertThatExceptionOfType(QuorumUnavailableException.class)
                .isThrownBy(() ->
                        processes.connection(0).acquire(LockRequest.of("b").waitTimeout(ofMillis(50))));
        assertThat(bean.getUnavailable()).isOne();
        assertThat(bean.getNodes().values()).anyMatch(state -> state.contains("suspected"));
        await().until(() -> Collections.frequency(bean.getNodeStates().values(), "UNUSABLE") == 2);
        await().until(() -> bean.getLost() == 1);
        assertThat(bean.getRenewalsFailed()).isPositive();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void node_inQuarantine_isShownWithTheReasonAtTheServiceOfThatPrefix() throws Exception {
        Set<ObjectName> before = names();
        String node = processes.redis.get(0).uri();
        Map<String, String> guarded = Map.of("nodes", node, "keyPrefix", "shop", "nodeTimeoutMillis", "1000");
        try (LockConnectionFactory other = Holdfast.connect(guarded);
                LockConnection connection = other.getConnection()) {
            LockServiceMXBean its = beanSince(before);
            assertThat(its.getKeyPrefix()).isEqualTo("shop");
            assertThat(bean.getKeyPrefix()).isEqualTo("holdfast");
            assertThatExceptionOfType(QuorumUnavailableException.class)
                    .isThrownBy(() -> connection.acquire(waiting(50)));
            // of two looks at once the one that ends last may have found the mark that the other one has written
            await().untilAsserted(() -> assertThat(its.getNodes().get(node))
                    .matches("in quarantine for another \\d+ ms: (it has no birth mark: it is used for the first time,"
                            + " or its memory was flushed|its birth mark says so)"));
        }
    }

    @Test
    void name_ofAServiceThatIsStartedAgain_isTheSame() throws Exception {
        ObjectName shop = new ObjectName("org.holdfast:type=LockService,prefix=name-of-shop,id=1");
        ObjectName another = new ObjectName("org.holdfast:type=LockService,prefix=name-of-shop,id=2");
        Map<String, String> settings = Map.of("nodes", processes.redis.uris(), "keyPrefix", "name-of-shop");
        for (int start = 0; start < 3; start++) {
            try (LockConnectionFactory first = Holdfast.connect(settings)) {
                assertThat(server.isRegistered(shop)).isTrue();
                assertThat(server.isRegistered(another)).isFalse();
                try (LockConnectionFactory second = Holdfast.connect(settings)) {
                    assertThat(server.isRegistered(another)).isTrue();
                }
            }
            assertThat(server.isRegistered(shop)).isFalse();
        }
    }

    @Test
    void name_ofAPrefixWithAColon_isQuoted() throws Exception {
        Map<String, String> settings = Map.of("nodes", processes.redis.uris(), "keyPrefix", "a:b");
        try (LockConnectionFactory factory = Holdfast.connect(settings)) {
            assertThat(server.isRegistered(new ObjectName("org.holdfast:type=LockService,prefix=\"a:b\",id=1")))
                    .isTrue();
        }
    }

    @Test
    void lease_handedOffInsideTheProcess_isCounted() {
        // not if the machine stands still just then: a lock is handed off for 100 ms only
        await().until(() -> {
            contend();
            return bean.getHandedOff() > 0;
        });
        assertThat(bean.getHandedOff()).isLessThan(bean.getAcquired());
    }

    private void contend() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        List<FutureTask<Object>> waiters = new ArrayList<>();
        for (int waiter = 0; waiter < 3; waiter++) {
            waiters.add(Processes.start(() -> {
                processes.connection(0).acquire("a").release();
                return null;
            }));
        }
        await().until(() -> bean.getWaiters() == 3); // one gets it from the nodes, with tokens for the others
        lease.release();
        for (FutureTask<Object> waiter : waiters) {
            waiter.get();
        }
    }

    @Test
    void release_thatANodeHasNotConfirmed_isCountedUntilItHas() throws Exception {
        Lease lease = processes.connection(0).acquire("a");
        processes.redis.get(0).freeze();
        try {
            lease.release();
            await().until(() -> bean.getUnconfirmedReleases() == 1);
        } finally {
            processes.redis.get(0).thaw();
        }
        await().until(() -> bean.getUnconfirmedReleases() == 0);
    }

    /** As when two adapters are deployed, each with a class loader of its own. */
    @Test
    void service_whoseNumberIsTaken_takesTheNext() throws Exception {
        ObjectName taken = new ObjectName("org.holdfast:type=LockService,prefix=taken,id=1");
        server.registerMBean(new Memory(), taken);
        try (LockConnectionFactory other =
                Holdfast.connect(Map.of("nodes", "redis://127.0.0.1:1", "keyPrefix", "taken"))) {
            assertThat(names()).contains(new ObjectName("org.holdfast:type=LockService,prefix=taken,id=2"));
            assertThat(other.toString()).isNotEmpty();
        } finally {
            server.unregisterMBean(taken);
        }
    }

    /** An MBean that is not ours. */
    public interface MemoryMXBean {
        long getFree();
    }

    private static final class Memory implements MemoryMXBean {
        @Override
        public long getFree() {
            return 0;
        }
    }

    @Test
    void service_thatIsStopped_isNotShown() throws Exception {
        int before = names().size();
        processes.factory(0).close();
        assertThat(names()).hasSize(before - 1);
    }
}
