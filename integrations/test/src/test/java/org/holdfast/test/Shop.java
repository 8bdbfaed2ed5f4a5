// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.holdfast.Lease;
import org.holdfast.cdi.Fence;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;

/** The code of {@code docs/ten-uses.md} that has its locks by annotation. */
@ApplicationScoped
class Shop {

    private static final Fence FENCE = new Fence("stock", "sku", "fence");

    @Inject
    Lease lease;

    @Inject
    Database database;

    private int cleaned;

    @Locked(value = "clean-up", onBusy = OnBusy.SKIP, atLeast = "PT30S")
    void cleanUp() {
        cleaned++;
    }

    int cleaned() {
        return cleaned;
    }

    @Locked("stock-#{sku}")
    @Transactional
    boolean sell(String sku) throws SQLException {
        return FENCE.raise(database.connection(), sku, lease) && take(sku);
    }

    private boolean take(String sku) throws SQLException {
        Connection connection = database.connection();
        try (PreparedStatement update = connection.prepareStatement(
                "update stock set quantity = quantity - 1 where sku = ? and quantity > 0")) {
            update.setString(1, sku);
            return update.executeUpdate() == 1;
        }
    }
}
