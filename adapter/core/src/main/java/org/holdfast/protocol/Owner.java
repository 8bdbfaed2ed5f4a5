// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/**
 * Says whose a lock on a node is: random, new for each acquisition, written as the lock's value.
 *
 * @param value 40 hexadecimal digits
 */
public record Owner(String value) {

    private static final int DIGITS = 40;

    public Owner {
        if (value.length() != DIGITS) {
            throw new IllegalArgumentException("an owner has " + DIGITS + " digits, not " + value.length());
        }
    }
}
