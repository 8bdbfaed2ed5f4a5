// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * Identifies the owner of a lock on a node: random, new for each acquisition, written as the lock's value.
 *
 * <p>A description of the owner may follow the random digits, for people to read. Nodes compare the whole value and do
 * not parse it.
 *
 * @param value 40 hexadecimal digits; and perhaps a blank and at most 120 characters of printable ASCII
 */
public record Owner(String value) {

    static final int MOST_OF_DESCRIPTION = 120;

    private static final int DIGITS = 40;

    public Owner {
        if (!isValid(value)) {
            throw new IllegalArgumentException(
                    "an owner is " + DIGITS + " hexadecimal digits, and perhaps a blank and 1 to " + MOST_OF_DESCRIPTION
                            + " characters of printable ASCII, not " + value.length() + " characters");
        }
    }

    /** Returns whether this has the form of an owner. */
    static boolean isValid(String value) {
        int length = value.length();
        boolean fits = length == DIGITS
                || length > DIGITS + 1 && length <= DIGITS + 1 + MOST_OF_DESCRIPTION && value.charAt(DIGITS) == ' ';
        for (int i = 0; fits && i < DIGITS; i++) {
            char c = value.charAt(i);
            fits = c >= '0' && c <= '9' || c >= 'a' && c <= 'f';
        }
        return fits && LogText.isAscii(value);
    }

    /** Returns the description; empty if there is none. */
    String description() {
        return value.length() == DIGITS ? "" : value.substring(DIGITS + 1);
    }
}
