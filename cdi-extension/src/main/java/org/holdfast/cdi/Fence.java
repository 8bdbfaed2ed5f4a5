// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.holdfast.Lease;
import org.holdfast.StaleLeaseException;

/**
 * Lets a row of a database refuse a holder that writes it after a later holder of its lock:
 * {@code update … where fence <= token}.
 *
 * <p>No lock service can stop a holder that pauses, for longer than its lease lasts, between its last look at the lease
 * and its write. The row can: it keeps the largest fencing token that has come by. {@link #raise} is the first thing to
 * do in the transaction that writes the row, and whatever that writes is protected then: a holder with a smaller token
 * is refused, and one with a larger token waits in the database until the transaction has ended.
 *
 * <pre>{@code
 * private static final Fence FENCE = new Fence("Stock", "sku", "fence");
 *
 * @Inject Lease lease;
 *
 * @Locked("stock-#{sku}")
 * @Transactional
 * public boolean sell(String sku) {
 *     return FENCE.raise(entities, sku, lease) && entities.find(Stock.class, sku).take();
 * }
 * }</pre>
 *
 * <p>The column is a {@code bigint not null}. Map it {@code updatable = false}, so that an entity that was loaded
 * before does not write the old token back; in a new row it is 0, or the token. Immutable, for any number of threads.
 *
 * @param table the table, or for JPA the entity's name
 * @param key the column that identifies the row, or for JPA the entity's attribute
 * @param column the column that keeps the token, or for JPA the entity's attribute
 */
public record Fence(String table, String key, String column) {

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*");

    /** @throws IllegalArgumentException if one of them is no plain identifier; they become part of a statement */
    public Fence {
        for (String part : List.of(table, key, column)) {
            if (!IDENTIFIER.matcher(part).matches()) {
                throw new IllegalArgumentException(
                        "table, key and column of a fence must be identifiers, one was '" + part + "'");
            }
        }
    }

    /**
     * Lets the row refuse all tokens smaller than the lease's from now on, if it has not seen a larger one.
     *
     * <p>One statement in the calling thread's transaction, which has to be active. It may wait for another transaction
     * that has the row.
     *
     * @param value the key of the row
     * @param lease under which the row is going to be written
     * @return false if there is no such row: the caller that inserts it gives it the token of the lease
     * @throws StaleLeaseException if a later holder has written the row; nothing must be written then, and being
     *     unchecked it rolls the transaction back
     */
    public boolean raise(EntityManager entities, Object value, Lease lease) {
        int rows = entities.createQuery("update " + table + " e set e." + column + " = :token where e." + key
                        + " = :value and e." + column + " <= :token")
                .setParameter("token", lease.token())
                .setParameter("value", value)
                .executeUpdate();
        return rows > 0 || requireMissing(lease, seen(entities, value));
    }

    private OptionalLong seen(EntityManager entities, Object value) {
        return entities.createQuery(
                        "select e." + column + " from " + table + " e where e." + key + " = :value", Long.class)
                .setParameter("value", value)
                .getResultStream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /**
     * As {@link #raise(EntityManager, Object, Lease)}, through a JDBC connection that does not commit by itself.
     *
     * @throws IllegalStateException if it does: the row would be free again at once
     */
    public boolean raise(Connection connection, Object value, Lease lease) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "a fence needs a transaction, and the connection commits each statement by itself");
        }
        try (PreparedStatement update = connection.prepareStatement(
                "update " + table + " set " + column + " = ? where " + key + " = ? and " + column + " <= ?")) {
            update.setLong(1, lease.token());
            update.setObject(2, value);
            update.setLong(3, lease.token());
            return update.executeUpdate() > 0 || requireMissing(lease, seen(connection, value));
        }
    }

    private OptionalLong seen(Connection connection, Object value) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("select " + column + " from " + table + " where " + key + " = ?")) {
            query.setObject(1, value);
            ResultSet row = query.executeQuery();
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        }
    }

    /** A row that was not updated is not there, or has seen a larger token. */
    private static boolean requireMissing(Lease lease, OptionalLong seen) {
        if (seen.isPresent()) {
            throw new StaleLeaseException(lease.name(), lease.token(), seen.getAsLong());
        }
        return false;
    }
}
