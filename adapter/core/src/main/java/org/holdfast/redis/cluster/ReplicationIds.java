// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The data set that a node has, as Redis names it: a replica that is promoted gets a new id, and keeps the one that it
 * shared with its primary.
 *
 * @param present of the data set that it has now
 * @param former of the one that it continues; empty if none is known
 */
public record ReplicationIds(String present, String former) {

    /** Of a node that does not say. */
    public static final ReplicationIds UNKNOWN = new ReplicationIds("", "");

    private static final Pattern ID = Pattern.compile("[0-9a-zA-Z]{1,64}");
    private static final Pattern NONE = Pattern.compile("0*");

    /** Returns what stands in INFO. */
    public static ReplicationIds of(Map<String, String> info) {
        return new ReplicationIds(
                known(info.getOrDefault("master_replid", "")), known(info.getOrDefault("master_replid2", "")));
    }

    private static String known(String id) {
        return ID.matcher(id).matches() && !NONE.matcher(id).matches() ? id : "";
    }

    /** Returns whether the node continues a data set that had this id. */
    boolean continues(String id) {
        return !id.isEmpty() && id.equals(former);
    }

    /**
     * Which node of a cluster something is from, and which data set that had.
     *
     * @param node its id
     * @param dataSet its id then; empty if it did not say
     */
    record Owner(String node, String dataSet) {

        static Owner parse(String text) {
            int at = text.lastIndexOf('@');
            return at < 0 ? new Owner(text, "") : new Owner(text.substring(0, at), text.substring(at + 1));
        }

        /** Returns whether it is this node, or one whose data this node continues. */
        boolean isNowOrWasBefore(String now, ReplicationIds ids) {
            return node.equals(now) || ids.continues(dataSet);
        }

        @Override
        public String toString() {
            return dataSet.isEmpty() ? node : node + "@" + dataSet;
        }
    }
}
