// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A voter that is whichever process a majority of Sentinels names as the primary.
 *
 * @param sentinels one or more, none twice
 * @param master the name by which the Sentinels know the primary and its replicas
 * @param tls whether connections are encrypted, to the Sentinels and to the primary
 * @param user ACL user of the primary, or null for the default user
 * @param password of that user, or null for none; never printed
 * @param sentinelUser ACL user of the Sentinels, or null for the default user
 * @param sentinelPassword of that user, or null where the Sentinels have none or that of the primary; never printed
 */
public record SentinelAddress(
        List<HostPort> sentinels,
        String master,
        boolean tls,
        @Nullable String user,
        @Nullable String password,
        @Nullable String sentinelUser,
        @Nullable String sentinelPassword)
        implements VoterAddress {

    static final String FORM = "redis[s]+sentinel://[[user]:password@]host[:port],host[:port],.../master-name"
            + "[?sentinelPassword=...[&sentinelUser=...]]";

    private static final String SCHEME = "redis+sentinel://";
    private static final String TLS_SCHEME = "rediss+sentinel://";
    private static final int DEFAULT_PORT = 26_379;

    /** What Sentinel allows. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    public SentinelAddress {
        sentinels = List.copyOf(sentinels);
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
    static @Nullable SentinelAddress parse(String text, String setting, List<String> violations) {
        Parser parser = new Parser(text);
        SentinelAddress address = parser.parse();
        if (parser.faults.isEmpty()) {
            return address;
        }
        violations.add(setting + " must be of the form " + FORM + ", was '" + parser.shown() + "': "
                + String.join("; ", parser.faults));
        return null;
    }

    @Override
    public boolean durable() {
        return false;
    }

    @Override
    public SentinelAddress as(@Nullable String otherUser, @Nullable String otherPassword) {
        return new SentinelAddress(sentinels, master, tls, otherUser, otherPassword, sentinelUser, sentinelPassword);
    }

    /** Returns how to enter the primary at this place. */
    public NodeAddress primary(HostPort place) {
        return new NodeAddress(place.host(), place.port(), tls, user, password, 0, false);
    }

    /** Returns how to enter a Sentinel, if it asks for no password. */
    public NodeAddress openSentinel(int index) {
        return sentinel(index, null, null);
    }

    /** Returns how to enter a Sentinel that asks for a password: with its own, or else with that of the primary. */
    public NodeAddress guardedSentinel(int index) {
        return sentinelPassword == null
                ? sentinel(index, user, password)
                : sentinel(index, sentinelUser, sentinelPassword);
    }

    private NodeAddress sentinel(int index, @Nullable String asUser, @Nullable String withPassword) {
        HostPort place = sentinels.get(index);
        return new NodeAddress(place.host(), place.port(), tls, asUser, withPassword, 0, false);
    }

    /** Returns the address without users and passwords. */
    @Override
    public String toString() {
        return (tls ? TLS_SCHEME : SCHEME)
                + sentinels.stream().map(HostPort::toString).collect(Collectors.joining(",")) + "/" + master;
    }

    /** Takes an address apart, and notes all that is wrong with it. */
    private static final class Parser {

        private final List<String> faults = new ArrayList<>();
        private final boolean tls;
        private final String authority;
        private final String path;
        private final String query;

        private @Nullable String sentinelUser;
        private @Nullable String sentinelPassword;

        Parser(String text) {
            this.tls = text.startsWith(TLS_SCHEME);
            String rest = text.substring((tls ? TLS_SCHEME : SCHEME).length());
            int question = rest.indexOf('?');
            String place = question < 0 ? rest : rest.substring(0, question);
            int slash = place.indexOf('/');
            this.query = question < 0 ? "" : rest.substring(question + 1);
            this.authority = slash < 0 ? place : place.substring(0, slash);
            this.path = slash < 0 ? "" : place.substring(slash + 1);
        }

        SentinelAddress parse() {
            int at = authority.lastIndexOf('@');
            AddressText.Credentials entry = credentials(at < 0 ? null : authority.substring(0, at));
            List<HostPort> sentinels = sentinels(authority.substring(at + 1));
            if (path.isEmpty()) {
                faults.add("the name of the primary is missing: /master-name behind the Sentinels");
            } else if (!NAME.matcher(path).matches()) {
                faults.add("the name of the primary must be letters, digits or . _ - , and nothing may follow it but"
                        + " ?sentinelPassword=...");
            }
            parameters();
            return new SentinelAddress(
                    sentinels, path, tls, entry.user(), entry.password(), sentinelUser, sentinelPassword);
        }

        private AddressText.Credentials credentials(@Nullable String raw) {
            try {
                return AddressText.credentials(raw);
            } catch (IllegalArgumentException e) {
                faults.add(e.getMessage());
                return new AddressText.Credentials(null, null);
            }
        }

        private List<HostPort> sentinels(String hosts) {
            List<HostPort> sentinels = new ArrayList<>();
            Set<String> seen = new HashSet<>();
            for (String each : hosts.split(",", -1)) {
                String text = each.trim();
                try {
                    HostPort sentinel = HostPort.parse(text, DEFAULT_PORT);
                    sentinels.add(sentinel);
                    if (!seen.add(sentinel.toString().toLowerCase(Locale.ROOT))) {
                        faults.add("it names the Sentinel " + sentinel + " twice");
                    }
                } catch (IllegalArgumentException e) {
                    faults.add("Sentinel '" + (isTorn() ? "****" : AddressText.host(text)) + "': " + e.getMessage());
                }
            }
            return sentinels;
        }

        private void parameters() {
            for (String each : query.isEmpty() ? new String[0] : query.split("&", -1)) {
                int equals = each.indexOf('=');
                String name = equals < 0 ? each : each.substring(0, equals);
                parameter(name, equals < 0 ? "" : each.substring(equals + 1));
            }
            if (sentinelUser != null && sentinelPassword == null) {
                faults.add("sentinelUser needs a sentinelPassword");
            }
        }

        private void parameter(String name, String raw) {
            if (name.equals("sentinelPassword")) {
                sentinelPassword = decoded(name, raw);
            } else if (name.equals("sentinelUser")) {
                sentinelUser = decoded(name, raw);
            } else if (name.equals("durable")) {
                faults.add("durable is not for Sentinels: a failover loses what no replica has received");
            } else { // a part of a password, perhaps
                faults.add("behind the ? there may be sentinelPassword and sentinelUser, and nothing else");
            }
        }

        private @Nullable String decoded(String name, String raw) {
            try {
                if (!raw.isEmpty()) {
                    return AddressText.decode(raw);
                }
                faults.add(name + " has no value");
            } catch (IllegalArgumentException e) {
                faults.add(name + ": " + e.getMessage());
            }
            return null;
        }

        /** A slash or a question mark in a password tears the address apart: a part of it seems to be a host. */
        private boolean isTorn() {
            return path.indexOf('@') >= 0 || query.indexOf('@') >= 0;
        }

        /** Returns the address without what may be a secret: behind the ? there may be one. */
        String shown() {
            int at = authority.lastIndexOf('@');
            boolean torn = isTorn();
            String hosts = Arrays.stream(authority.substring(at + 1).split(",", -1))
                    .map(String::trim)
                    .map(host -> torn ? "****" : AddressText.host(host))
                    .collect(Collectors.joining(",", at < 0 ? "" : "****@", ""));
            String name = torn || path.isEmpty() ? "" : "/" + path;
            return (tls ? TLS_SCHEME : SCHEME) + hosts + name + (query.isEmpty() ? "" : "?****");
        }
    }
}
