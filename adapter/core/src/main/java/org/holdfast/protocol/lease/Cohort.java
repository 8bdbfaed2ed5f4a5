// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/**
 * The holders of this process that have a lock one after the other, without a release on the nodes.
 *
 * @param since when the first of them got it
 * @param passed how often it was handed off
 * @param standstills how often our clock had stood still when the first of them asked for it
 * @param suspicion whether the lock may have been taken away from them
 */
public record Cohort(long since, int passed, long standstills, Suspicion suspicion) {

    public Cohort(long since, int passed, long standstills) {
        this(since, passed, standstills, new Suspicion());
    }

    Cohort next() {
        return new Cohort(since, passed + 1, standstills, suspicion);
    }
}
