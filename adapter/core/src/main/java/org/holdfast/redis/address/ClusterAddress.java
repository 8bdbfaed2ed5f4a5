// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A voter that is a Redis Cluster: on each name the shard votes that has its slot.
 *
 * @param seeds one or more nodes of the cluster, none twice; they name the others
 * @param tls whether connections are encrypted
 * @param user ACL user of all nodes, or null for the default user
 * @param password of that user, or null for none; never printed
 * @param durable whether the operator vouches that an acknowledged write survives a restart and a failover
 */
public record ClusterAddress(
        List<HostPort> seeds,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        boolean durable) implements VoterAddress {

    static final String FORM = "redis[s]+cluster://[[user]:password@]host[:port],host[:port],...[?durable=true]";

    private static final String SCHEME = "redis+cluster://";
    private static final String TLS_SCHEME = "rediss+cluster://";
    private static final int DEFAULT_PORT = 6_379;

    public ClusterAddress {
        seeds = List.copyOf(seeds);
    }

    /** Returns whether a text is meant to be such an address. */
    static boolean isMeant(String text) {
        return text.startsWith(SCHEME) || text.startsWith(TLS_SCHEME);
    }

    /**
     * Parses one address.
     *
     * @param text for which {@link #isMeant} is true
     * @param setting the setting's name, for messages
     * @param violations receives one sentence with all faults
     * @return the address, or null if it could not be understood
     */
    static @Nullable ClusterAddress parse(String text, String setting, List<String> violations) {
        boolean tls = text.startsWith(TLS_SCHEME);
        String rest = text.substring((tls ? TLS_SCHEME : SCHEME).length());
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        String authority = question < 0 ? rest : rest.substring(0, question);
        int at = authority.lastIndexOf('@');
        boolean torn = query.indexOf('@') >= 0;
        List<String> faults = new ArrayList<>();
        AddressText.Credentials entry = credentials(at < 0 ? null : authority.substring(0, at), faults);
        List<HostPort> seeds = seeds(authority.substring(at + 1), torn, faults);
        if (!query.isEmpty() && !query.equals("durable=true") && !query.equals("durable=false")) {
            faults.add("behind the hosts there may be ?durable=true and nothing else");
        }
        if (faults.isEmpty()) {
            return new ClusterAddress(seeds, tls, entry.user(), entry.password(), query.equals("durable=true"));
        }
        String hosts = torn ? "****" : (at < 0 ? "" : "****@") + shown(authority.substring(at + 1));
        String shown = (tls ? TLS_SCHEME : SCHEME) + hosts + (query.isEmpty() ? "" : "?****");
        violations.add(
                setting + " must be of the form " + FORM + ", was '" + shown + "': " + String.join("; ", faults));
        return null;
    }

    private static String shown(String hosts) {
        return Arrays.stream(hosts.split(",", -1))
                .map(String::trim)
                .map(AddressText::host)
                .collect(Collectors.joining(","));
    }

    private static AddressText.Credentials credentials(@Nullable String raw, List<String> faults) {
        try {
            return AddressText.credentials(raw);
        } catch (IllegalArgumentException e) {
            faults.add(e.getMessage());
            return new AddressText.Credentials(null, null);
        }
    }

    private static List<HostPort> seeds(String hosts, boolean torn, List<String> faults) {
        List<HostPort> seeds = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String each : hosts.split(",", -1)) {
            String text = each.trim();
            try {
                if (text.indexOf('/') >= 0) {
                    throw new IllegalArgumentException("a cluster has no databases");
                }
                HostPort seed = HostPort.parse(text, DEFAULT_PORT);
                seeds.add(seed);
                if (!seen.add(seed.toString().toLowerCase(Locale.ROOT))) {
                    faults.add("it names " + seed + " twice");
                }
            } catch (IllegalArgumentException e) {
                faults.add("node '" + (torn ? "****" : AddressText.host(text)) + "': " + e.getMessage());
            }
        }
        return seeds;
    }

    @Override
    public ClusterAddress as(@Nullable String otherUser, @Nullable String otherPassword) {
        return new ClusterAddress(seeds, tls, otherUser, otherPassword, durable);
    }

    /** Returns the same cluster, whose writes are said to survive a restart and a failover. */
    public ClusterAddress asDurable() {
        return new ClusterAddress(seeds, tls, user, password, true);
    }

    /** Returns how to enter a node of the cluster. */
    public NodeAddress node(HostPort place) {
        return new NodeAddress(place.host(), place.port(), tls, user, password, 0, durable);
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return (tls ? TLS_SCHEME : SCHEME)
                + seeds.stream().map(HostPort::toString).collect(Collectors.joining(","));
    }
}
