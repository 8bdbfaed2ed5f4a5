// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Makes the shop's table if there is none. JPA could do it, but it drops a table that is there, and servers that share
 * a database do not start at once.
 */
@Singleton
@Startup
@TransactionManagement(TransactionManagementType.BEAN)
public class Tables {

    private static final String CREATE =
            "create table Stock (sku varchar(255) not null primary key, quantity integer not null, fence bigint not null)";

    @Resource
    private DataSource database;

    /** No other method has this name: Payara and GlassFish look for it by the name alone. */
    @PostConstruct
    void prepare() {
        try (Connection connection = database.getConnection()) {
            if (!hasTable(connection)) {
                create(connection);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the shop's table could not be made: " + e.getMessage(), e);
        }
    }

    /** Another server may do it at the same moment: then that one's table is as good. */
    private static void create(Connection connection) throws SQLException {
        try (PreparedStatement create = connection.prepareStatement(CREATE)) {
            create.execute();
        } catch (SQLException e) {
            if (!hasTable(connection)) {
                throw e;
            }
        }
    }

    private static boolean hasTable(Connection connection) throws SQLException {
        try (ResultSet tables = connection
                .getMetaData()
                .getTables(connection.getCatalog(), connection.getSchema(), null, new String[] {"TABLE"})) {
            while (tables.next()) {
                if ("Stock".equalsIgnoreCase(tables.getString("TABLE_NAME"))) {
                    return true;
                }
            }
            return false;
        }
    }
}
