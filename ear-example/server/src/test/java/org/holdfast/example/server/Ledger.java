// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table in a real database, written in whatever transaction is there. */
@ApplicationScoped
public class Ledger {

    @Resource
    private DataSource database;

    /** Asks first: not each server's database knows {@code create table if not exists}. */
    @PostConstruct
    void create() {
        try (Connection connection = database.getConnection();
                ResultSet found = connection.getMetaData().getTables(null, null, "LEDGER", null)) {
            if (!found.next()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("create table ledger (entry varchar(100) primary key)");
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes sure that the table is there: making it would commit whatever transaction is under way. */
    public void open() {}

    public void write(String entry) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement("insert into ledger values (?)")) {
            statement.setString(1, entry);
            statement.executeUpdate();
        }
    }

    public boolean has(String entry) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement("select 1 from ledger where entry = ?")) {
            statement.setString(1, entry);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }
}
