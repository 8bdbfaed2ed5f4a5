// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import com.arjuna.ats.jta.TransactionManager;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.XAConnection;
import org.h2.jdbcx.JdbcDataSource;

/** A database in memory, whose one connection takes part in the transaction of the thread that asks for it. */
@ApplicationScoped
class Database {

    private XAConnection xa;
    private Connection connection;
    private Runnable meanwhile = () -> {};

    @PostConstruct
    void open() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:");
        xa = source.getXAConnection();
        connection = xa.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table stock (sku varchar(20) primary key, quantity int, fence bigint not null)");
            statement.execute("insert into stock values ('lamp', 10, 0)");
        }
    }

    /** Has something happen when a connection is asked for next. */
    void meanwhile(Runnable event) {
        meanwhile = event;
    }

    Connection connection() throws SQLException {
        Runnable event = meanwhile;
        meanwhile = () -> {};
        event.run();
        try {
            Transaction transaction = TransactionManager.transactionManager().getTransaction();
            if (transaction != null) {
                transaction.enlistResource(xa.getXAResource());
            }
            return connection;
        } catch (RollbackException | SystemException e) {
            throw new SQLException("no part of the transaction", e);
        }
    }

    int quantity() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("select quantity from stock where sku = 'lamp'");
            row.next();
            return row.getInt(1);
        }
    }

    @PreDestroy
    void close() throws SQLException {
        xa.close();
    }
}
