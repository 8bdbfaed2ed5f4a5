// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/** Randomness as the algorithm needs it. */
public interface Randomness {

    /** Returns 40 hexadecimal digits that no other call returns: 160 bits from a cryptographic source. */
    String uniqueId();

    /** Returns a number from 0 to bound - 1, evenly distributed. */
    long below(long bound);
}
