// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.ejb.Schedule;
import jakarta.ejb.Singleton;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;

/** A job that every server starts and one does: it counts what is in stock. */
@Singleton
public class Stocktaking {

    private static final System.Logger LOG = System.getLogger(Stocktaking.class.getName());

    @PersistenceContext
    private EntityManager entities;

    /** With {@code atLeast}, a server that is a little late does not do it again, however soon it is done. */
    @Schedule(hour = "*", minute = "*", second = "*/10", persistent = false)
    @Locked(value = "stocktaking", onBusy = OnBusy.SKIP, atLeast = "PT3S")
    public void count() {
        Long items = entities.createQuery("select coalesce(sum(s.quantity), 0) from Stock s", Long.class)
                .getSingleResult();
        LOG.log(System.Logger.Level.DEBUG, "in stock: " + items);
    }
}
