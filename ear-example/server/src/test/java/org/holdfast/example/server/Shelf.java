// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row with a fence. */
@Entity
public class Shelf {

    @Id
    private String name;

    private int quantity;

    @Column(updatable = false)
    private long fence;

    protected Shelf() {}

    Shelf(String name, long fence) {
        this.name = name;
        this.fence = fence;
    }

    int quantity() {
        return quantity;
    }

    void set(int newQuantity) {
        quantity = newQuantity;
    }
}
