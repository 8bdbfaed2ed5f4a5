// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import org.holdfast.Lease;
import org.holdfast.cdi.Fence;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnLoss;

/** Writes rows, and continues when its lock is lost: nothing but the fence stands in its way. */
@ApplicationScoped
public class FencedBean {

    private static final Fence FENCE = new Fence("Shelf", "name", "fence");

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Lease lease;

    /** @param before what the holder does between getting the lock and writing */
    @Locked(value = "shelf-#{name}", ttl = "PT0.3S", scope = LockScope.INVOCATION, onLoss = OnLoss.CONTINUE)
    @Transactional
    public void write(String name, int quantity, Work before) throws Exception {
        before.run();
        if (!FENCE.raise(entities, name, lease)) {
            entities.persist(new Shelf(name, lease.token()));
        }
        entities.find(Shelf.class, name).set(quantity);
    }

    /** The same without the fence. */
    @Locked(value = "shelf-#{name}", ttl = "PT0.3S", scope = LockScope.INVOCATION, onLoss = OnLoss.CONTINUE)
    @Transactional
    public void writeUnfenced(String name, int quantity, Work before) throws Exception {
        before.run();
        entities.find(Shelf.class, name).set(quantity);
    }

    @Transactional
    public int quantity(String name) {
        return entities.find(Shelf.class, name).quantity();
    }
}
