// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;
import org.holdfast.LeaseLostException;
import org.holdfast.LockTimeoutException;
import org.jboss.weld.junit5.EnableWeld;
import org.jboss.weld.junit5.WeldInitiator;
import org.jboss.weld.junit5.WeldSetup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test of a service in {@code docs/testing.md}: CDI, a real transaction manager, and a lock that is lost. */
@EnableWeld
@Timeout(60)
class StockTest {

    @WeldSetup
    WeldInitiator weld = WeldInitiator.of(WeldInitiator.createWeld().enableDiscovery());

    @Inject
    Stock stock;

    @Inject
    TestLocks locks;

    @Test
    void sell_leaseIsHeld_commits() {
        stock.sell("book", () -> {});
        assertThat(stock.left()).isZero();
        assertThat(locks.holders("stock-book")).isEmpty();
    }

    @Test
    void sell_leaseIsLostBeforeCommit_rollsBack() {
        assertThatThrownBy(() -> stock.sell("book", () -> locks.lose("stock-book")))
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(stock.left()).isOne();
    }

    @Test
    void sell_anotherServerHoldsTheLock_failsWithoutWaiting() {
        locks.hold("stock-book");
        locks.skipWaits();
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> stock.sell("book", () -> {}));
        assertThat(stock.left()).isOne();
    }
}
