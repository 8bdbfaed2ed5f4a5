// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a node is, and as which user we enter it: one process, whichever is at that address.
 *
 * @param tls whether the connection is encrypted
 * @param user ACL user, or null for the default user
 * @param password or null for none; never printed
 * @param database database index, 0 or more
 * @param durable whether the operator vouches that an acknowledged write survives a restart and a failover
 */
public record NodeAddress(
        String host,
        int port,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        int database,
        boolean durable)
        implements FixedAddress {

    private static final int DEFAULT_PORT = 6379;
    static final String FORM = "redis[s]://[[user]:password@]host[:port][/database][?durable=true]";

    @Override
    public NodeAddress as(@Nullable String otherUser, @Nullable String otherPassword) {
        return new NodeAddress(host, port, tls, otherUser, otherPassword, database, durable);
    }

    @Override
    public NodeAddress asDurable() {
        return new NodeAddress(host, port, tls, user, password, database, true);
    }

    /**
     * Parses one address.
     *
     * @param setting the setting's name, for messages
     * @param violations receives a sentence for a fault
     * @return the address, or null if it could not be understood
     */
    static @Nullable NodeAddress parse(String text, String setting, List<String> violations) {
        try {
            URI uri = new URI(text);
            boolean tls = "rediss".equals(uri.getScheme());
            if (!tls && !"redis".equals(uri.getScheme())) {
                throw new IllegalArgumentException("the scheme must be redis or rediss");
            }
            if (uri.getHost() == null) {
                throw new IllegalArgumentException("there is no host, or its port is no number");
            }
            if (uri.getPort() == 0 || uri.getPort() > 65_535) {
                throw new IllegalArgumentException("the port must be 1 to 65535");
            }
            if (uri.getFragment() != null) {
                throw new IllegalArgumentException("there must be no # after the database");
            }
            AddressText.Credentials entry = AddressText.credentials(uri.getRawUserInfo());
            int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
            return new NodeAddress(
                    uri.getHost(),
                    port,
                    tls,
                    entry.user(),
                    entry.password(),
                    database(uri.getPath()),
                    durable(uri.getQuery()));
        } catch (URISyntaxException e) {
            violations.add(setting + " must be of the form " + FORM + ", was '" + AddressText.withoutSecrets(text)
                    + "': " + e.getReason() + (e.getIndex() < 0 ? "" : " at position " + e.getIndex()));
        } catch (IllegalArgumentException e) {
            violations.add(setting + " must be of the form " + FORM + ", was '" + AddressText.withoutSecrets(text)
                    + "': " + e.getMessage());
        }
        return null;
    }

    private static boolean durable(@Nullable String query) {
        if (query != null && !query.equals("durable=true") && !query.equals("durable=false")) {
            throw new IllegalArgumentException("after the database there may be ?durable=true and nothing else");
        }
        return "durable=true".equals(query);
    }

    private static int database(@Nullable String path) {
        if (path == null || path.isEmpty() || path.equals("/")) {
            return 0;
        }
        try {
            int database = Integer.parseInt(path.substring(1));
            if (database >= 0) {
                return database;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("the database must be a number, 0 or more");
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + host + ":" + port + (database == 0 ? "" : "/" + database);
    }
}
