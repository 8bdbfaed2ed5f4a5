// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.holdfast.LeaseLostException;
import org.holdfast.LockTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(HoldfastExtension.class)
class InvoicesTest {

    @Test
    void pay_leaseIsLostMeanwhile_nothingIsPaid(TestLocks locks) {
        Invoices invoices = new Invoices(locks.factory(), () -> locks.lose("invoice-17"));
        assertThatThrownBy(() -> invoices.pay("17")).isInstanceOf(LeaseLostException.class);
        assertThat(invoices.paid).isEmpty();
    }

    @Test
    void pay_anotherServerPaysIt_timesOut(TestLocks locks) {
        locks.hold("invoice-17");
        locks.skipWaits();
        Invoices invoices = new Invoices(locks.factory(), () -> {});
        assertThatThrownBy(() -> invoices.pay("17")).isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void pay_bankTakesAnHour_leaseIsRenewed(TestLocks locks) throws InterruptedException {
        Invoices invoices = new Invoices(locks.factory(), () -> locks.advance(Duration.ofHours(1)));
        invoices.pay("17");
        assertThat(invoices.paid).containsExactly("17");
    }

    @Test
    void pay_twoOfThreeNodesHang_nothingIsPaid(TestLocks locks) {
        Invoices invoices = new Invoices(locks.factory(), () -> {
            locks.hang(0);
            locks.hang(1);
            locks.advance(Duration.ofMinutes(1));
        });
        assertThatThrownBy(() -> invoices.pay("17")).isInstanceOf(LeaseLostException.class);
        assertThat(invoices.paid).isEmpty();
    }
}
