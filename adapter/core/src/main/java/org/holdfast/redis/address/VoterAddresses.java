// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the list of voters.
 *
 * <p>Commas separate the voters, and also the Sentinels or cluster nodes of one voter: a part that has no {@code ://}
 * belongs to the address of such a voter before it.
 */
public final class VoterAddresses {

    private static final int MOST_NODES = 63;
    private static final String SCHEME_END = "://";

    private VoterAddresses() {}

    /**
     * Parses a list of addresses.
     *
     * @param list addresses of the forms {@value NodeAddress#FORM}, {@value UnixAddress#FORM}, {@value
     *     SentinelAddress#FORM} and {@value ClusterAddress#FORM}, separated by commas
     * @param setting the setting's name, for messages
     * @param violations receives a sentence for each address that is wrong, with all its faults
     * @return the addresses that could be understood
     */
    public static List<VoterAddress> parse(@Nullable String list, String setting, List<String> violations) {
        List<VoterAddress> voters = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        List<String> parts = split(list == null ? "" : list);
        int faulty = violations.size();
        for (int i = 0; i < parts.size(); i++) {
            if (isTorn(String.join(",", parts.subList(i + 1, parts.size())))) {
                violations.add(setting + " has an @ that belongs to no address: a comma in a password is written %2C");
                continue;
            }
            VoterAddress voter = parseOne(parts.get(i).trim(), setting, violations);
            if (voter == null) {
                continue;
            }
            voters.add(voter);
            if (!seen.add(identity(voter))) {
                violations.add(setting + " names " + voter + " twice: each node must be an independent Redis");
            }
        }
        boolean understood = violations.size() == faulty;
        if (understood && (parts.size() % 2 == 0 || parts.size() > MOST_NODES)) {
            violations.add(setting + " must name an odd number of independent Redis nodes (1, 3, 5 or 7 as "
                    + NodeAddress.FORM
                    + " or " + UnixAddress.FORM + " or " + SentinelAddress.FORM + " or " + ClusterAddress.FORM
                    + ", separated by commas), was "
                    + (parts.isEmpty() ? "empty" : parts.size() + " nodes: " + voters));
        }
        return voters;
    }

    private static List<String> split(String list) {
        List<String> parts = new ArrayList<>();
        for (String piece : list.isBlank() ? new String[0] : list.split(",", -1)) {
            int last = parts.size() - 1;
            String before = last < 0 ? "" : parts.get(last).trim();
            boolean continues =
                    (SentinelAddress.isMeant(before) || ClusterAddress.isMeant(before)) && !piece.contains(SCHEME_END);
            if (continues) {
                parts.set(last, parts.get(last) + "," + piece);
            } else {
                parts.add(piece);
            }
        }
        return parts;
    }

    private static @Nullable VoterAddress parseOne(String text, String setting, List<String> violations) {
        if (SentinelAddress.isMeant(text)) {
            return SentinelAddress.parse(text, setting, violations);
        }
        if (UnixAddress.isMeant(text)) {
            return UnixAddress.parse(text, setting, violations);
        }
        return ClusterAddress.isMeant(text)
                ? ClusterAddress.parse(text, setting, violations)
                : NodeAddress.parse(text, setting, violations);
    }

    /** Two groups of Sentinels may know different primaries by one name, and one group several. */
    private static String identity(VoterAddress voter) {
        if (voter instanceof SentinelAddress address) {
            return sorted(address.sentinels()) + "/" + address.master();
        }
        if (voter instanceof ClusterAddress cluster) {
            return sorted(cluster.seeds());
        }
        if (voter instanceof UnixAddress file) {
            return file.path();
        }
        return ((NodeAddress) voter).host().toLowerCase(Locale.ROOT) + ":" + ((NodeAddress) voter).port();
    }

    private static String sorted(List<HostPort> places) {
        return places.stream()
                .map(place -> place.toString().toLowerCase(Locale.ROOT))
                .sorted()
                .collect(Collectors.joining(","));
    }

    /** A comma in a password tears its address apart: what follows has an @ before another address begins. */
    private static boolean isTorn(String rest) {
        int at = rest.indexOf('@');
        int next = rest.indexOf(SCHEME_END);
        return at >= 0 && (next < 0 || at < next);
    }
}
