// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * What one acquisition claims, the same on every node and in every command about it.
 *
 * @param target what it covers
 * @param owner the owner that is to have it
 * @param token the fencing token
 * @param lastToken the last token that it may use: those from its token to this one are reserved for the holders that
 *     have it one after the other
 * @param ttlMillis how long a node keeps it
 * @param fenceMillis how long a node remembers the last token
 */
public record Claim(Target target, Owner owner, long token, long lastToken, long ttlMillis, long fenceMillis) {

    /** Claims one token. */
    public Claim(Target target, Owner owner, long token, long ttlMillis, long fenceMillis) {
        this(target, owner, token, token, ttlMillis, fenceMillis);
    }

    /** Returns the same claim for another TTL; nodes remember its token for as long as before. */
    public Claim lasting(long millis) {
        return new Claim(target, owner, token, lastToken, millis, fenceMillis);
    }

    /** Returns the same claim to read only what it had alone. */
    public Claim reading() {
        return new Claim(target.reading(), owner, token, lastToken, ttlMillis, fenceMillis);
    }
}
