// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.StaleLeaseException;
import org.holdfast.cdi.Fence;
import org.jboss.weld.junit5.EnableWeld;
import org.jboss.weld.junit5.WeldInitiator;
import org.jboss.weld.junit5.WeldSetup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The uses of {@code docs/ten-uses.md} by annotation, with a real transaction manager and a real database. */
@EnableWeld
@Timeout(60)
class ShopTest {

    @WeldSetup
    WeldInitiator weld = WeldInitiator.of(WeldInitiator.createWeld().enableDiscovery());

    @Inject
    Shop shop;

    @Inject
    Database database;

    @Inject
    TestLocks locks;

    @Test
    void cleanUp_anotherServerHasJustDoneIt_isSkipped() {
        locks.hold("clean-up");
        locks.skipWaits();
        shop.cleanUp();
        assertThat(shop.cleaned()).isZero();
    }

    @Test
    void cleanUp_onceMoreWithinTheMinimumHold_isSkipped() {
        locks.skipWaits();
        shop.cleanUp();
        shop.cleanUp();
        assertThat(shop.cleaned()).isOne();
        locks.advance(Duration.ofSeconds(31));
        shop.cleanUp();
        assertThat(shop.cleaned()).isEqualTo(2);
    }

    @Test
    void sell_leaseIsHeld_commits() throws SQLException {
        assertThat(shop.sell("lamp")).isTrue();
        assertThat(shop.sell("chair")).as("there is no such row").isFalse();
        assertThat(database.quantity()).isEqualTo(9);
    }

    @Test
    void sell_leaseIsLost_rollsBack() throws SQLException {
        database.meanwhile(() -> locks.lose("stock-lamp"));
        assertThatThrownBy(() -> shop.sell("lamp")).hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(database.quantity()).isEqualTo(10);
    }

    @Test
    void sell_aLaterHolderHasWrittenTheRow_isRefusedByTheRow() throws SQLException {
        database.meanwhile(this::sellAsAnotherServer);
        assertThatThrownBy(() -> shop.sell("lamp")).isInstanceOf(StaleLeaseException.class);
        assertThat(database.quantity()).isEqualTo(10);
    }

    private void sellAsAnotherServer() {
        Lease later = locks.steal("stock-lamp");
        try {
            new Fence("stock", "sku", "fence").raise(database.connection(), "lamp", later);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
