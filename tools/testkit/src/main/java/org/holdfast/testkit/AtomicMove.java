// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

/**
 * A move of a slot that the cluster makes by itself, keys and all: clients are led to the former node until the new one
 * has everything, and to the new one from then on. Valkey has that from 9.0 on.
 */
public final class AtomicMove {

    public static final String NEEDS = "Valkey 9.0 or later, which moves a slot as a whole";

    private AtomicMove() {}

    public static boolean isKnownTo(RedisServer server) {
        return server.ask("CLUSTER HELP").contains("MIGRATESLOTS");
    }

    /** Begins to move a slot from its node, and does not wait for the end. */
    public static void begin(RedisCluster cluster, int slot, RedisServer to) {
        RedisServer from = cluster.owner(slot);
        String line = "CLUSTER MIGRATESLOTS SLOTSRANGE " + slot + " " + slot + " NODE " + ClusterNode.id(to);
        String answer = from.ask(line);
        if (!answer.startsWith("+OK")) {
            throw new IllegalStateException(from.uri() + " answered to " + line + ": " + answer);
        }
    }

    /** Moves a slot, and returns when both nodes know that the new one has it. */
    public static void move(RedisCluster cluster, int slot, RedisServer to) {
        RedisServer from = cluster.owner(slot);
        begin(cluster, slot, to);
        Patience.await(
                "slot " + slot + " has moved", () -> ClusterNode.hasSlot(to, slot) && !ClusterNode.hasSlot(from, slot));
    }
}
