// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import org.holdfast.protocol.node.Claim;

/**
 * How much is under way at once: the requests must fit what sockets take and this process keeps for a node, and the
 * replies what a node buffers for one connection.
 */
public final class BatchSize {

    private static final int MOST = 200;

    /** Requests have two to three times as many bytes: a slow line, too, carries them within a node timeout. */
    public static final long MOST_CHARACTERS = 1 << 18;

    private int commands;
    private long characters;

    /** Notes one more command on a claim; the first one always fits. */
    public void add(Claim claim) {
        commands++;
        characters += characters(claim);
    }

    /** Returns how long the names of a claim are, together. */
    public static long characters(Claim claim) {
        long characters = 0;
        for (String name : claim.target().names()) {
            characters += name.length();
        }
        return characters;
    }

    /** Returns whether the next command has to wait for the next batch. */
    public boolean isFull() {
        return commands >= MOST || characters >= MOST_CHARACTERS;
    }
}
