// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicLong;

/** How many orders this server has answered, with a sale or with "sold out". */
@ApplicationScoped
public class OrderCount {

    private final AtomicLong answered = new AtomicLong();

    void increment() {
        answered.incrementAndGet();
    }

    long answered() {
        return answered.get();
    }
}
