// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.OptionalInt;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/** Sells what is in stock: read, check, write, in a transaction. */
@ApplicationScoped
public class Shop {

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Lease lease;

    /**
     * Sells one, by one caller at a time in all servers together: lock, begin, work, commit, release. The row refuses a
     * caller that has slept until another had the lock.
     */
    @Locked(value = "stock-#{sku}", waitTimeout = "PT5S")
    @Transactional
    public boolean sell(String sku) {
        return Stock.FENCE.raise(entities, sku, lease) && takeOne(sku);
    }

    /** The same without the lock, to see what happens. */
    @Transactional
    public boolean sellUnlocked(String sku) {
        return takeOne(sku);
    }

    /** Takes one under the lock and then fails: the transaction rolls back, and nothing is sold. */
    @Locked(value = "stock-#{sku}", waitTimeout = "PT5S")
    @Transactional
    public void sellAndFail(String sku) {
        takeOne(sku);
        throw new PaymentRefusedException();
    }

    private boolean takeOne(String sku) {
        Stock stock = entities.find(Stock.class, sku);
        return stock != null && stock.take();
    }

    @Transactional
    public OptionalInt quantity(String sku) {
        Stock stock = entities.find(Stock.class, sku);
        return stock == null ? OptionalInt.empty() : OptionalInt.of(stock.quantity());
    }
}
