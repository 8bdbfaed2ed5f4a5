// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Map;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.redis.cluster.ReplicationIds;

/** Whether a node is a primary or a replica, and whose data it has. */
final class NodeRole {

    private final SimulatedNode node;
    private final SavedMemory memory;
    private final NodeChecker checker;

    private boolean replica;
    private int promotions;
    private int changes;
    private ReplicationIds dataSet = new ReplicationIds("data", "");

    NodeRole(SimulatedNode node, SavedMemory memory, NodeChecker checker) {
        this.node = node;
        this.memory = memory;
        this.checker = checker;
    }

    /** It has data of its own. */
    void beginDataSet() {
        dataSet = new ReplicationIds("data-of-" + node.runId(), "");
    }

    boolean isReplica() {
        return replica;
    }

    /** It waits to take the place of another one. */
    void standBy() {
        replica = true;
    }

    /** It learns that it was replaced. Sentinels end connections when they change a role. */
    void becomeReplica() {
        replica = true;
        changes++;
    }

    /** Returns how often clients that know Sentinels have lost their connections by it. */
    int changes() {
        return changes;
    }

    /** Returns how the birth mark calls its last promotion. */
    String promotion() {
        return promotions == 0 ? BirthMark.Process.NEVER_PROMOTED : "promoted-" + promotions;
    }

    /** Becomes the primary, with what it has received of the former one. */
    void promote(SimulatedNode former, long lagNanos) {
        promote(former.role.memory.ago(lagNanos));
    }

    /** Becomes the primary, with what it has received. */
    void promote(Map<String, MemoryRedis.Entry> received) {
        becomePrimary();
        memory.begin(received);
        checker.forgot();
    }

    /**
     * Takes the place of the primary from which it has received what it has: all of it, if the operator vouches for
     * that.
     */
    void promote(SimulatedNode former) {
        becomePrimary();
        if (node.isDurable()) {
            receive(former.redis().snapshot(), former.role.dataSet);
            checker.inherit(former.role.checker);
        } else {
            checker.forgot();
        }
        dataSet = new ReplicationIds("data-of-" + node.runId() + "-" + promotions, dataSet.present());
    }

    private void becomePrimary() {
        replica = false;
        promotions++;
        changes++;
    }

    /** It receives, as a replica, what its primary had. */
    void receive(Map<String, MemoryRedis.Entry> received, ReplicationIds of) {
        dataSet = new ReplicationIds(of.present(), "");
        node.receive(received);
    }

    ReplicationIds dataSet() {
        return dataSet;
    }
}
