// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.survey;

/**
 * How many wait for a lock, as one node knows them, or more of them.
 *
 * @param inLine how many callers have a ticket
 * @param listening how many connections receive its release: one for each process
 */
public record Waiting(int inLine, int listening) {

    /** No caller waits, as far as is known. */
    public static final Waiting NONE = new Waiting(0, 0);

    /** Returns the larger numbers: a node may have lost some, and none knows one too many. */
    public Waiting or(Waiting other) {
        return new Waiting(Math.max(inLine, other.inLine), Math.max(listening, other.listening));
    }
}
