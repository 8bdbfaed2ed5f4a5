// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/** Fills the shelves. An EJB: its transaction is the container's, and the lock is released after that has completed. */
@Stateless
public class Warehouse {

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Lease lease;

    @Inject
    private LockDiary diary;

    @Locked(value = "stock-#{sku}", waitTimeout = "PT5S")
    public void stock(String sku, int quantity) {
        if (Stock.FENCE.raise(entities, sku, lease)) {
            entities.find(Stock.class, sku).set(quantity);
        } else {
            entities.persist(new Stock(sku, quantity, lease.token()));
        }
        diary.done(lease);
    }
}
