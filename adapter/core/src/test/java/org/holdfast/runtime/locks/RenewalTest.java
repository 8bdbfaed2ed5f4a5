// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many leases of a process are renewed by few calls, and what is wrong with one concerns no other. */
@Timeout(60)
class RenewalTest {

    private static final int LEASES = 250;

    private final List<Lease> leases = new ArrayList<>();
    private Processes processes;

    @BeforeEach
    void start() throws Exception {
        processes = Processes.start(1, 1, Map.of());
        for (int lease = 0; lease < LEASES; lease++) {
            leases.add(processes
                    .connection(0)
                    .acquire(LockRequest.of(name(lease)).ttl(ofSeconds(6)).detached()));
        }
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private static String name(int lease) {
        return "order-" + lease;
    }

    private static String key(int lease) {
        return "holdfast:{" + name(lease) + "}:lock";
    }

    private long millisLeft(int lease) {
        return processes.ask(0, jedis -> jedis.pttl(key(lease)));
    }

    /** Has all locks expire soon but for a renewal, and waits for that. */
    private void awaitRenewalOfAll(IntPredicate meant) {
        int[] leasesMeant = IntStream.range(0, LEASES).filter(meant).toArray();
        processes.ask(0, jedis -> {
            IntStream.of(leasesMeant).forEach(each -> jedis.pexpire(key(each), 3_900));
            return null;
        });
        await().atMost(ofSeconds(20)).until(() -> IntStream.of(leasesMeant).allMatch(each -> millisLeft(each) > 3_900));
    }

    private void awaitRenewalOfAllBut(int other) {
        awaitRenewalOfAll(lease -> lease != other);
    }

    @Test
    void leases_thatAreManyAndHeldForLong_areRenewedByFewCalls() {
        int before = processes.scriptCalls(0);
        awaitRenewalOfAllBut(LEASES);
        awaitRenewalOfAllBut(LEASES);
        assertThat(processes.scriptCalls(0) - before)
                .as("two renewals of %d leases, or three", LEASES)
                .isBetween(6, LEASES);
        assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void lease_whoseKeyIsNoLock_isLost_andNoOther() {
        processes.ask(0, jedis -> {
            jedis.del(key(7));
            return jedis.lpush(key(7), "a list");
        });
        awaitRenewalOfAllBut(7);
        await().atMost(ofSeconds(20)).until(() -> !leases.get(7).isHeld());
        assertThat(leases).filteredOn(Lease::isHeld).hasSize(LEASES - 1);
    }

    @Test
    void leases_whoseNodeForgetsItsScripts_areRenewedAllTheSame() {
        awaitRenewalOfAllBut(LEASES);
        processes.ask(0, jedis -> jedis.scriptFlush());
        awaitRenewalOfAllBut(LEASES);
        assertThat(leases).allMatch(Lease::isHeld);
    }

    /** Its fence tells that a later lease was granted. */
    @Test
    void lease_thatAnotherHasTaken_isLost_andNoOther() {
        processes.ask(0, jedis -> {
            jedis.set(key(9), "0 9 another");
            return jedis.set(
                    "holdfast:{" + name(9) + "}:fence", "" + (leases.get(9).token() + 1_000));
        });
        awaitRenewalOfAllBut(9);
        await().atMost(ofSeconds(20)).until(() -> !leases.get(9).isHeld());
        assertThat(leases).filteredOn(Lease::isHeld).hasSize(LEASES - 1);
    }

    /** The node refuses a call of which it may not use one key. */
    @Test
    void lease_whoseKeyTheUserMayNotUse_isLost_andNoOther() {
        processes.ask(0, jedis -> jedis.aclSetUser("default", "resetkeys", "~holdfast:{order-[^3]*"));
        awaitRenewalOfAll(lease -> !name(lease).startsWith("order-3"));
        await().atMost(ofSeconds(20)).untilAsserted(() -> assertThat(leases)
                .filteredOn(lease -> !lease.isHeld())
                .allMatch(lease -> lease.name().startsWith("order-3"))
                .hasSize(11));
    }
}
