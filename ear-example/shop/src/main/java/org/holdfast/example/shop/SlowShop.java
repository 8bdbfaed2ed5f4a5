// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import org.holdfast.Lease;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnLoss;

/**
 * How not to sell: reads, takes its time, and writes what it has read before less one. It asks nothing about its lock
 * before it writes, so when the lock was lost meanwhile, only the row's fence is in its way.
 */
@ApplicationScoped
public class SlowShop {

    @Inject
    private Shop shop;

    @Inject
    private Lease lease;

    @Inject
    private LockDiary diary;

    @Locked(value = "stock-#{sku}", waitTimeout = "PT5S", scope = LockScope.INVOCATION, onLoss = OnLoss.CONTINUE)
    public boolean sell(String sku, int pauseMillis) throws InterruptedException {
        Optional<Stock> seen = shop.find(sku).filter(stock -> stock.quantity() > 0);
        Thread.sleep(pauseMillis);
        try {
            return seen.isPresent() && shop.write(sku, seen.get().quantity() - 1, lease);
        } finally {
            diary.done(lease);
        }
    }
}
