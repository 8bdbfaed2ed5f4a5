// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

/**
 * What a node of a cluster shows of its slots.
 *
 * @param tag the hash tag of the slot in which that was read; empty if it had no slots
 * @param text the record that stands there; empty for none
 * @param ids of its data
 * @param nowMicros its clock
 * @param inheritedBeforeMicros see {@link SlotRecord#parse}
 * @param forgets whether a quarantine of the node began just now
 * @param led whether a sign leads all clients there, as was found at this look
 */
public record SlotSight(
        String tag,
        String text,
        ReplicationIds ids,
        long nowMicros,
        long inheritedBeforeMicros,
        boolean forgets,
        boolean led) {}
