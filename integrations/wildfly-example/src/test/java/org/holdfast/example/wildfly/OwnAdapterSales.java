// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;

/** As {@link Sales}, of an EAR that brings an adapter of its own. */
@ApplicationScoped
public class OwnAdapterSales {

    static final String FACTORY = "java:/eis/own";

    @Inject
    private Lease lease;

    @Locked(value = "stock-#{sku}", factory = FACTORY)
    public long sell(String sku) {
        return lease.token();
    }
}
