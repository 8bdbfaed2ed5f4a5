// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.springframework.stereotype.Service;

/** Of {@code docs/spring.md}. */
@Service
class Stock {

    private final LockConnectionFactory locks;
    private int sold;

    Stock(LockConnectionFactory locks) {
        this.locks = locks;
    }

    int sell(String article) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire("stock-" + article);
            sold++;
            lease.requireHeld(); // before what cannot be undone
            return sold;
        }
    }
}
