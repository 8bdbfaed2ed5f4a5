// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** How many of a thing there are. Without a version, on purpose: nothing but the lock protects it. */
@Entity
public class Stock {

    @Id
    private String sku;

    private int quantity;

    protected Stock() {}

    Stock(String sku, int quantity) {
        this.sku = sku;
        this.quantity = quantity;
    }

    int quantity() {
        return quantity;
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
