// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/** Randomness as the algorithm needs it. */
public interface Randomness {

    /** Returns an owner that nobody else has: 160 bits from a cryptographic source. */
    Owner newOwner();

    /** Returns a number from 0 to bound - 1, evenly distributed. */
    long below(long bound);
}
