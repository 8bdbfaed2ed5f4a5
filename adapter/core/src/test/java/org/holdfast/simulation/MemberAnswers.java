// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a node of a cluster answers to clients: which slots are where, and why it does not run a script. */
final class MemberAnswers {

    private final SimulatedCluster cluster;
    private final ClusterMember member;
    private final ClusterKnowledge known;

    MemberAnswers(SimulatedCluster cluster, ClusterMember member, ClusterKnowledge known) {
        this.cluster = cluster;
        this.member = member;
        this.known = known;
    }

    /** Returns why it does not run a script, if it does not. */
    Optional<String> refusal(List<String> keys, List<String> arguments) {
        if (!known.isPrimary()) {
            return Optional.of("MOVED 0 elsewhere: a replica");
        }
        if (member.isFenced()) {
            return Optional.of("CLUSTERDOWN another node has its place");
        }
        if (!known.isWell()) {
            return Optional.of("CLUSTERDOWN The cluster is down");
        }
        int missing = 0;
        for (String key : keys) {
            int part = cluster.parts.of(key);
            if (known.owners[part] != member.index) {
                return Optional.of("MOVED 0 elsewhere");
            }
            missing += member.moves.isMigrating(part) && member.process.redis().expiresAt(key) == null ? 1 : 0;
        }
        if (missing > 0) {
            return Optional.of(missing < keys.size() ? "TRYAGAIN Multiple keys request" : "ASK 0 elsewhere");
        }
        boolean reaches = arguments.stream()
                .filter(argument -> argument.endsWith(":birth") || argument.endsWith(":heartbeat"))
                .allMatch(key -> known.owners[cluster.parts.of(key)] == member.index
                        && (!member.moves.isMigrating(cluster.parts.of(key))
                                || member.process.redis().expiresAt(key) != null));
        return reaches
                ? Optional.empty()
                : Optional.of("ERR Script attempted to access a non local key in a cluster node");
    }

    /** Returns what it answers to {@code CLUSTER NODES}. */
    String nodes() {
        List<String> lines = new ArrayList<>();
        for (int node = 0; node < known.members(); node++) {
            ClusterMember named = cluster.member(node);
            String role = known.primaries[node] == ClusterMember.NONE ? "master" : "slave";
            String flags = (node == member.index ? "myself," : "")
                    + role
                    + (known.failed[node] ? ",fail" : known.suspected[node] && node != member.index ? ",fail?" : "");
            String of = known.primaries[node] == ClusterMember.NONE ? "-" : cluster.member(known.primaries[node]).id;
            String slots = known.primaries[node] != ClusterMember.NONE
                    ? ""
                    : known.partsOf(node).stream()
                            .mapToObj(cluster.parts::ranges)
                            .collect(Collectors.joining());
            String open = node == member.index ? openSlots() : "";
            lines.add(named.id + " " + named.place + "@17000 " + flags + " " + of + " 0 0 " + known.epochs[node]
                    + " connected" + slots + open);
        }
        return String.join("\n", lines) + "\n";
    }

    private String openSlots() {
        StringBuilder open = new StringBuilder();
        for (int part = 0; part < known.parts(); part++) {
            if (member.moves.isMigrating(part)) {
                String to = cluster.member(member.moves.migratingTo(part)).id;
                cluster.parts.slots(part).stream().forEach(slot -> open.append(" [" + slot + "->-" + to + "]"));
            }
            if (member.moves.isImporting(part)) {
                String from = cluster.member(member.moves.importingFrom(part)).id;
                cluster.parts.slots(part).stream().forEach(slot -> open.append(" [" + slot + "-<-" + from + "]"));
            }
        }
        return open.toString();
    }
}
