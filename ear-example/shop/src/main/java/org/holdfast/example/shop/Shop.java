// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/**
 * Sells what is in stock: read, check, write, in a transaction.
 *
 * <p>A shop that thinks between read and write, for the milliseconds of the system property {@code shop.think}, has
 * orders that overlap for certain. The default is 0.
 */
@ApplicationScoped
public class Shop {

    private static final int THINK_MILLIS = Integer.getInteger("shop.think", 0);

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Lease lease;

    @Inject
    private LockDiary diary;

    /**
     * Sells one, by one caller at a time in all servers together: lock, begin, work, commit, release. The row refuses a
     * caller that has slept until another had the lock.
     */
    @Locked(value = "stock-#{sku}", waitTimeout = "PT5S")
    @Transactional
    public boolean sell(String sku) {
        diary.doneWithTransaction(lease);
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
        think(THINK_MILLIS);
        return stock != null && stock.take();
    }

    private static void think(int millis) {
        if (millis > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    /** Writes a quantity under a lock that the caller has, or had: the row refuses it if another had the lock since. */
    @Transactional
    public boolean write(String sku, int quantity, Lease holder) {
        if (!Stock.FENCE.raise(entities, sku, holder)) {
            return false;
        }
        entities.find(Stock.class, sku).set(quantity);
        return true;
    }

    @Transactional
    public Optional<Stock> find(String sku) {
        return Optional.ofNullable(entities.find(Stock.class, sku));
    }
}
