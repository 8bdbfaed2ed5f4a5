// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
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
     * @param violations receives one sentence with all faults
     * @return the address, or null if it could not be understood
     */
    static @Nullable NodeAddress parse(String text, String setting, List<String> violations) {
        List<String> faults = new ArrayList<>();
        NodeAddress address = null;
        try {
            address = new Parser(new URI(text), faults).parse();
        } catch (URISyntaxException e) {
            faults.add(e.getReason() + (e.getIndex() < 0 ? "" : " at position " + e.getIndex()));
        }
        if (faults.isEmpty()) {
            return address;
        }
        violations.add(setting + " must be of the form " + FORM + ", was '" + AddressText.withoutSecrets(text) + "': "
                + String.join("; ", faults));
        return null;
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + host + ":" + port + (database == 0 ? "" : "/" + database);
    }

    /** Takes an address apart, and notes all that is wrong with it. */
    private static final class Parser {

        private final URI uri;
        private final List<String> faults;

        Parser(URI uri, List<String> faults) {
            this.uri = uri;
            this.faults = faults;
        }

        /** What is returned is an address only if there are no faults. */
        NodeAddress parse() {
            boolean tls = tls();
            String host = host();
            int port = port();
            if (uri.getFragment() != null) {
                faults.add("there must be no # after the database");
            }
            AddressText.Credentials entry = credentials();
            return new NodeAddress(host, port, tls, entry.user(), entry.password(), database(), durable());
        }

        private boolean tls() {
            boolean tls = "rediss".equals(uri.getScheme());
            if (!tls && !"redis".equals(uri.getScheme())) {
                faults.add("the scheme must be redis or rediss");
            }
            return tls;
        }

        /** The parts behind a host that is none are not looked at: a URI without a host has no port, and no user. */
        private String host() {
            if (uri.getHost() != null) {
                return uri.getHost();
            }
            faults.add("there is no host, or its port is no number");
            return "";
        }

        private int port() {
            if (uri.getPort() == 0 || uri.getPort() > 65_535) {
                faults.add("the port must be 1 to 65535");
            }
            return uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
        }

        private AddressText.Credentials credentials() {
            try {
                return AddressText.credentials(uri.getRawUserInfo());
            } catch (IllegalArgumentException e) {
                faults.add(String.valueOf(e.getMessage()));
                return new AddressText.Credentials(null, null);
            }
        }

        private int database() {
            String path = uri.getPath();
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
            faults.add("the database must be a number, 0 or more");
            return 0;
        }

        private boolean durable() {
            String query = uri.getQuery();
            if (query != null && !query.equals("durable=true") && !query.equals("durable=false")) {
                faults.add("after the database there may be ?durable=true and nothing else");
            }
            return "durable=true".equals(query);
        }
    }
}
