// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Which part of a Redis Cluster a key is in: one of 16,384 slots, by what stands between the first brace and the next
 * closing one, or by the whole key if nothing does.
 *
 * <p>Source: the specification of Redis Cluster, "Key distribution model" and "Hash tags".
 */
public final class Slot {

    /** How many slots there are. */
    public static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;
    private static final int MASK = 0xffff;

    private Slot() {}

    /** Returns the slot of a key. */
    public static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        String hashed = close > open + 1 ? key.substring(open + 1, close) : key;
        return crc16(hashed.getBytes(StandardCharsets.UTF_8)) % COUNT;
    }

    /**
     * Returns the one of these slots in which a node keeps what it knows of itself; -1 for none. Slots are moved in
     * order: so the order here is another one, and that slot is seldom moved.
     */
    static int homeOf(BitSet owned) {
        return owned.stream().reduce(Slot::homeOf).orElse(-1);
    }

    /** Returns the one of two. */
    static int homeOf(int one, int other) {
        return rank(one) <= rank(other) ? one : other;
    }

    private static int rank(int slot) {
        return slot * 40_503 % COUNT; // odd, so each slot has a rank of its own
    }

    /** Returns the smallest number that is, as a hash tag, in a slot. */
    public static String tag(int slot) {
        return Integer.toString(Tags.BY_SLOT[slot]);
    }

    /** Found all at once, in some ten milliseconds, when the first is needed. */
    private static final class Tags {

        private static final int[] BY_SLOT = find();

        private static int[] find() {
            int[] found = new int[COUNT];
            Arrays.fill(found, -1);
            int left = COUNT;
            for (int number = 0; left > 0; number++) {
                int slot = crc16(Integer.toString(number).getBytes(StandardCharsets.US_ASCII)) % COUNT;
                if (found[slot] < 0) {
                    found[slot] = number;
                    left--;
                }
            }
            return found;
        }
    }

    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte each : bytes) {
            crc ^= (each & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
        }
        return crc & MASK;
    }
}
