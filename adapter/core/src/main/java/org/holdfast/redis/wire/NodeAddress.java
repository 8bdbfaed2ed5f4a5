// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a node is, and as which user we enter it.
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
        boolean durable) {

    private static final int DEFAULT_PORT = 6379;
    private static final int MOST_NODES = 63;

    private static final String FORM = "redis[s]://[[user]:password@]host[:port][/database][?durable=true]";

    /** All that may stand there, which is no secret, is {@code ?durable=} and a word. */
    private static final Pattern BEHIND_DATABASE = Pattern.compile("([?#])(?!durable=[a-z]*$).*", Pattern.DOTALL);

    /**
     * Parses a list of addresses.
     *
     * @param list addresses of the form {@value #FORM}, separated by commas
     * @param setting the setting's name, for messages
     * @param violations receives a sentence for each fault
     * @return the addresses that could be understood
     */
    public static List<NodeAddress> parseList(@Nullable String list, String setting, List<String> violations) {
        List<NodeAddress> nodes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        String known = list == null ? "" : list;
        String[] parts = known.isBlank() ? new String[0] : known.split(",", -1);
        int faulty = violations.size();
        int end = -1;
        for (String part : parts) {
            end += 1 + part.length();
            if (isTorn(known.substring(end))) {
                violations.add(setting + " has an @ that belongs to no address: a comma in a password is written %2C");
                continue;
            }
            NodeAddress node = parse(part.trim(), setting, violations);
            if (node == null) {
                continue;
            }
            nodes.add(node);
            if (!seen.add(node.host().toLowerCase(Locale.ROOT) + ":" + node.port())) {
                violations.add(setting + " names " + node + " twice: each node must be an independent Redis");
            }
        }
        boolean understood = violations.size() == faulty;
        if (understood && (parts.length % 2 == 0 || parts.length > MOST_NODES)) {
            violations.add(setting + " must name an odd number of independent Redis nodes (1, 3, 5 or 7 as " + FORM
                    + ", separated by commas), was "
                    + (parts.length == 0 ? "empty" : parts.length + " nodes: " + nodes));
        }
        return nodes;
    }

    /** Returns the same node, entered as another user. */
    public NodeAddress as(@Nullable String otherUser, @Nullable String otherPassword) {
        return new NodeAddress(host, port, tls, otherUser, otherPassword, database, durable);
    }

    /** Returns the same node, whose writes are said to survive a restart and a failover. */
    public NodeAddress asDurable() {
        return new NodeAddress(host, port, tls, user, password, database, true);
    }

    /** A comma in a password tears its address apart: what follows has an @ before another address begins. */
    private static boolean isTorn(String rest) {
        int at = rest.indexOf('@');
        int next = rest.indexOf("://");
        return at >= 0 && (next < 0 || at < next);
    }

    private static @Nullable NodeAddress parse(String text, String setting, List<String> violations) {
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
            @Nullable String[] user = userInfo(uri.getRawUserInfo());
            int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
            return new NodeAddress(
                    uri.getHost(), port, tls, user[0], user[1], database(uri.getPath()), durable(uri.getQuery()));
        } catch (URISyntaxException e) {
            violations.add(setting + " must be of the form " + FORM + ", was '" + partWithoutSecrets(text) + "': "
                    + e.getReason() + (e.getIndex() < 0 ? "" : " at position " + e.getIndex()));
        } catch (IllegalArgumentException e) {
            violations.add(setting + " must be of the form " + FORM + ", was '" + partWithoutSecrets(text) + "': "
                    + e.getMessage());
        }
        return null;
    }

    private static @Nullable String[] userInfo(@Nullable String raw) {
        if (raw == null) {
            return new String[2];
        }
        int colon = raw.indexOf(':');
        if (colon < 0 || colon == raw.length() - 1) {
            throw new IllegalArgumentException("there is a user without a password");
        }
        return new String[] {colon == 0 ? null : decode(raw.substring(0, colon)), decode(raw.substring(colon + 1))};
    }

    private static String decode(String raw) {
        return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
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

    /**
     * Whatever stands before the last @ may hold a password, and so may what looks like a port and is no number, and
     * what stands behind the database: other clients take a password there.
     */
    private static String partWithoutSecrets(String text) {
        return BEHIND_DATABASE.matcher(withoutUser(text)).replaceFirst("$1****");
    }

    private static String withoutUser(String text) {
        int scheme = text.indexOf("://");
        int start = scheme < 0 ? 0 : scheme + 3;
        int at = text.lastIndexOf('@');
        String prefix = text.substring(0, start);
        if (at >= start) {
            return prefix + "****" + text.substring(at);
        }
        boolean mayBeHostAndPort = text.substring(start).matches("[^:]*(:[0-9x]{0,5})?([/?#].*)?|\\[.*");
        return mayBeHostAndPort ? text : prefix + "****";
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return (tls ? "rediss://" : "redis://") + host + ":" + port + (database == 0 ? "" : "/" + database);
    }
}
