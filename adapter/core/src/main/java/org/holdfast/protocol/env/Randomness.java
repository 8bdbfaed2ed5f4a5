// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/** Randomness as the algorithm needs it. */
public interface Randomness {

    /** Returns 20 bytes that no other call returns, from a cryptographic source. */
    byte[] uniqueId();

    /** Returns a number from 0 to bound - 1, evenly distributed. */
    long below(long bound);
}
