// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** A service that takes its locks itself. */
final class Invoices {

    private final LockConnectionFactory factory;
    private final Runnable bank;
    final List<String> paid = new ArrayList<>();

    Invoices(LockConnectionFactory factory, Runnable bank) {
        this.factory = factory;
        this.bank = bank;
    }

    void pay(String invoice) throws InterruptedException {
        try (LockConnection connection = factory.getConnection();
                Lease lease = connection.acquire("invoice-" + invoice)) {
            bank.run();
            lease.requireHeld();
            paid.add(invoice);
        }
    }
}
