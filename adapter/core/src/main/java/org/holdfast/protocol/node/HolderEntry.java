// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * A holder of a lock, as one node reports it.
 *
 * @param lock which of the locks that were asked about, counted from 0
 * @param reads whether it is a reader
 * @param value what is written there as its owner, one character for each byte: any client may have written it, and it
 *     is cut off where it is too long
 * @param remainingMillis for how long the node keeps it if it is not renewed
 */
public record HolderEntry(int lock, boolean reads, String value, long remainingMillis) {

    /** A node reports so many at the most. */
    public static final int MOST = 1_000;

    /** A node reports so much of a value: more than an owner has. */
    public static final int MOST_OF_VALUE = 256;

    public HolderEntry {
        if (lock < 0 || value.length() > MOST_OF_VALUE || remainingMillis < 0) {
            throw new IllegalArgumentException("not what a node may tell: lock " + lock + ", " + value.length()
                    + " characters, for " + remainingMillis + " ms");
        }
    }
}
