// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.holdfast.cdi.Fence;

/** How many of a thing there are. Without a version, on purpose: nothing but the lock and its fence protect it. */
@Entity
public class Stock {

    static final Fence FENCE = new Fence("Stock", "sku", "fence");

    @Id
    private String sku;

    private int quantity;

    /** The largest token of a lock that has written this; see {@link Fence}. */
    @Column(updatable = false)
    private long fence;

    protected Stock() {}

    Stock(String sku, int quantity, long fence) {
        this.sku = sku;
        this.quantity = quantity;
        this.fence = fence;
    }

    int quantity() {
        return quantity;
    }

    long fence() {
        return fence;
    }

    void set(int newQuantity) {
        quantity = newQuantity;
    }

    /** Takes one; false if there is none. */
    boolean take() {
        if (quantity == 0) {
            return false;
        }
        quantity--;
        return true;
    }
}
