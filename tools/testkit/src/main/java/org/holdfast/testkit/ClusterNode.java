// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A node of a Redis Cluster: what it says of itself and of the others, and what it is told to do. */
public final class ClusterNode {

    /** What a node says of a slot that is being moved from it, or to it. */
    private static final Pattern MOVE = Pattern.compile("\\[(\\d+)-[<>]-");

    private ClusterNode() {}

    /** Returns the id of a node. */
    public static String id(RedisServer server) {
        return server.ask("CLUSTER MYID").lines().skip(1).findFirst().orElse("");
    }

    /** Returns whether a node that runs is a primary, as it sees itself. */
    public static boolean isPrimary(RedisServer server) {
        return server.ask("INFO replication").contains("role:master");
    }

    /** Returns the keys of a slot on a node. */
    public static List<String> keys(int slot, RedisServer server) {
        return server.ask("CLUSTER GETKEYSINSLOT " + slot + " 100")
                .lines()
                .filter(line -> !line.startsWith("*") && !line.startsWith("$"))
                .toList();
    }

    /**
     * Gives up each move that a node takes part in, as it says. If the primary is replaced from which a slot comes, the
     * node to which it was to go knows no owner of that slot, and is down, until an operator does this.
     */
    public static void abandonMoves(RedisServer server) {
        MOVE.matcher(server.ask("CLUSTER NODES"))
                .results()
                .forEach(move -> server.ask("CLUSTER SETSLOT " + move.group(1) + " STABLE"));
    }

    static boolean isReady(RedisServer server) {
        String info = server.ask("CLUSTER INFO");
        return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + RedisCluster.SLOTS);
    }

    static boolean hasSlot(RedisServer server, int slot) {
        return !server.ask("CLUSTER COUNTKEYSINSLOT " + slot).startsWith("-")
                && server.ask("CLUSTER NODES")
                        .lines()
                        .filter(line -> line.contains("myself"))
                        .flatMap(line -> List.of(line.split(" ")).stream().skip(8))
                        .filter(word -> !word.startsWith("["))
                        .anyMatch(word -> isWithin(slot, word.trim()));
    }

    private static boolean isWithin(int slot, String range) {
        String[] ends = range.split("-");
        return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
    }

    /** Returns whether a node that has answered so takes another one for a replica of its own. */
    static boolean isOwnReplica(String id, String nodes) {
        String myself = nodes.lines()
                .filter(line -> line.contains("myself"))
                .findFirst()
                .map(line -> line.split(" ")[0])
                .orElse("no node");
        return nodes.lines().anyMatch(line -> line.startsWith(id) && line.contains("slave " + myself));
    }

    static void replicate(RedisServer replica, RedisServer primary) {
        String id = id(primary);
        Patience.await("a replica follows", () -> replica.ask("CLUSTER REPLICATE " + id)
                .startsWith("+OK"));
    }

    static void require(RedisServer server, String line) {
        String answer = server.ask(line);
        if (!answer.startsWith("+")) {
            throw new IllegalStateException(
                    line.substring(0, Math.min(60, line.length())).toLowerCase(Locale.ROOT) + ": " + answer);
        }
    }

    /** Gives a node the slots from the first one on, without the end. */
    static void addSlots(RedisServer server, int from, int end) {
        for (int first = from; first < end; first += 512) { // a command line has a length
            require(
                    server,
                    IntStream.range(first, Math.min(end, first + 512))
                            .mapToObj(Integer::toString)
                            .collect(Collectors.joining(" ", "CLUSTER ADDSLOTS ", "")));
        }
    }
}
