// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.Test;

class JdkLockLeasesTest {

    private static final int MANY = 1_000;
    private static final long OWNER = Thread.currentThread().getId();

    private final JdkLockLeases leases = new JdkLockLeases();

    /** Each is another one; nothing is called on it. */
    private static Lease lease() {
        return (Lease) Proxy.newProxyInstance(Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (a, b, c) -> {
            throw new UnsupportedOperationException();
        });
    }

    private Lease push(LockRequest request) {
        Lease lease = lease();
        leases.push(OWNER, request, lease);
        return lease;
    }

    @Test
    void leases_ofManyNames_areFoundInAnyOrder_andOfOneNameTheLastComesFirst() {
        List<Lease> first = new ArrayList<>();
        List<Lease> second = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            first.add(push(LockRequest.of("name-" + i)));
        }
        for (int i = 0; i < MANY; i++) { // other chains by now
            second.add(push(LockRequest.of("name-" + i)));
        }
        for (int i = 0; i < MANY; i++) {
            LockRequest request = LockRequest.of("name-" + i);
            assertThat(leases.count(OWNER, request)).isEqualTo(2);
            assertThat(leases.last(OWNER, request)).isSameAs(second.get(i));
            assertThat(leases.pop(OWNER, request)).isSameAs(second.get(i));
            assertThat(leases.pop(OWNER, request)).isSameAs(first.get(i));
            assertThat(leases.pop(OWNER, request)).isNull();
        }
    }

    @Test
    void lease_ofSeveralNames_isFoundByTheSameNamesInAnotherOrder_andByNoOthers() {
        Lease both = push(LockRequest.allOf("a", "b"));
        assertThat(leases.last(OWNER, LockRequest.of("a"))).isNull();
        assertThat(leases.last(OWNER, LockRequest.allOf("a", "c"))).isNull();
        assertThat(leases.last(OWNER, LockRequest.allOf("b", "a").mode(LockMode.EXCLUSIVE)))
                .isSameAs(both);
        assertThat(leases.last(OWNER + 1, LockRequest.allOf("b", "a")))
                .as("of another thread")
                .isNull();
    }

    @Test
    void leases_ofOneNameInSeveralModes_areNotTakenForEachOther() {
        Lease reading = push(LockRequest.of("a").mode(LockMode.READ));
        Lease permit = push(LockRequest.semaphore("a", 2));
        assertThat(leases.last(OWNER, LockRequest.of("a"))).isNull();
        assertThat(leases.last(OWNER, LockRequest.of("a").mode(LockMode.READ))).isSameAs(reading);
        assertThat(leases.last(OWNER, LockRequest.semaphore("a", 2))).isSameAs(permit);
        leases.clear();
        assertThat(leases.pop(OWNER, LockRequest.semaphore("a", 2))).isNull();
    }
}
