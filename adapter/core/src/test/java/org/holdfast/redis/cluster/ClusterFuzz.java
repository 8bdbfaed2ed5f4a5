// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import org.holdfast.redis.address.HostPort;

/** Opens the room's door a little for the fuzzer. */
public final class ClusterFuzz {

    private static final String NODE = "n".repeat(40);

    private ClusterFuzz() {}

    /** Understands an answer to CLUSTER NODES. */
    public static void view(String answer) {
        try {
            NodeView.parse(answer, new HostPort("localhost", 6379));
        } catch (IllegalArgumentException e) {
            // what a caller is prepared for
        }
    }

    /** Understands what stands on a node of its slots: what it writes of that must be the same. */
    public static void record(String text) {
        ReplicationIds ids = new ReplicationIds("a", "b");
        for (String record : new String[] {text, NODE + "@a " + text}) {
            SlotRecord parsed = SlotRecord.parse(record, NODE, ids, 0);
            SlotRecord again = SlotRecord.parse(parsed.text(), NODE, ids, 0);
            if (!parsed.text().equals(again.text())) {
                throw new IllegalStateException(parsed.text() + " is read as " + again.text());
            }
        }
    }

    /** Finds the slot of a key. */
    public static void slot(String key) {
        int slot = Slot.of(key);
        if (slot < 0 || slot >= Slot.COUNT) {
            throw new IllegalStateException("there is no slot " + slot);
        }
    }
}
