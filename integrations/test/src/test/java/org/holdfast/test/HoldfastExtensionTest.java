// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(HoldfastExtension.class)
class HoldfastExtensionTest {

    private static final List<TestLocks> USED = new ArrayList<>();
    private static final List<Lease> TAKEN = new ArrayList<>();

    private TestLocks ofSetup;

    @BeforeEach
    void remember(TestLocks locks) {
        ofSetup = locks;
        USED.add(locks);
    }

    @AfterAll
    static void closed() {
        assertThat(USED).hasSize(2).doesNotHaveDuplicates();
        assertThat(TAKEN).hasSize(2).noneMatch(Lease::isHeld);
    }

    private void hold(LockConnectionFactory factory) throws InterruptedException {
        LockConnection connection = factory.getConnection(); // the test forgets to close it
        TAKEN.add(connection.acquire("stock"));
    }

    @Test
    void parameters_ofOneTest_haveTheSameLocks(TestLocks locks, LockConnectionFactory factory) throws Exception {
        assertThat(locks).isSameAs(ofSetup);
        assertThat(locks.factory()).isSameAs(factory);
        hold(factory);
    }

    @Test
    void parameters_ofAnotherTest_areFree(TestLocks locks) throws Exception {
        assertThat(locks.holders("stock")).isEmpty();
        hold(locks.factory());
    }
}
