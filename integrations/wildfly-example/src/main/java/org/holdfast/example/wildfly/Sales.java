// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/** What one server at a time may do. */
@ApplicationScoped
public class Sales {

    @Inject
    private Lease lease;

    /** {@return the token of the lock, which is larger for each later sale} */
    @Locked("stock-#{sku}")
    public long sell(String sku) {
        return lease.token();
    }
}
