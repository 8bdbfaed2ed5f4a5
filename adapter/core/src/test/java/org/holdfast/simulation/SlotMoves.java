// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.Arrays;

/** Which parts a node of a cluster is giving away, and which it is taking. */
final class SlotMoves {

    private final ClusterKnowledge known;

    /** To which node the slots of a part are being moved; {@link ClusterMember#NONE} for to none. */
    private final int[] migrating;

    /** From which node they come; {@link ClusterMember#NONE} for from none. */
    private final int[] importing;

    SlotMoves(ClusterKnowledge known) {
        this.known = known;
        this.migrating = new int[known.parts()];
        this.importing = new int[known.parts()];
        clear();
    }

    /** It gives all of them up. */
    void clear() {
        Arrays.fill(migrating, ClusterMember.NONE);
        Arrays.fill(importing, ClusterMember.NONE);
    }

    /** An operator lets the node take the slots of a part from another node. */
    void beginImport(int part, int from) {
        importing[part] = known.isPrimary() && !known.has(part) ? from : ClusterMember.NONE;
    }

    /** An operator lets the node give the slots of a part to another node. */
    void beginMigration(int part, int to) {
        if (known.has(part)) {
            migrating[part] = to;
        }
    }

    boolean isMigrating(int part) {
        return migrating[part] != ClusterMember.NONE;
    }

    int migratingTo(int part) {
        return migrating[part];
    }

    boolean isImporting(int part) {
        return importing[part] != ClusterMember.NONE;
    }

    int importingFrom(int part) {
        return importing[part];
    }

    /** The slots of a part are another node's: there is nothing to give away any more. */
    void endMigration(int part) {
        migrating[part] = ClusterMember.NONE;
    }

    /** A move is over, or an operator gives it up. */
    void setStable(int part) {
        migrating[part] = ClusterMember.NONE;
        importing[part] = ClusterMember.NONE;
    }
}
