// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the owner of a lock on a node: random, new for each acquisition, written as the lock's value.
 *
 * <p>A description of the owner may follow the random digits, for people to read. Nodes compare the whole value and do
 * not parse it. An owner that is drawn here is kept as numbers, and written each time that a node is sent it: a process
 * may hold many locks, and the text of one would be a fifth of what a lease takes.
 */
public final class Owner {

    static final int MOST_OF_DESCRIPTION = 120;

    /** What {@link org.holdfast.protocol.env.Randomness#uniqueId} returns. */
    private static final int ID_BYTES = 20;

    private static final int DIGITS = 2 * ID_BYTES;

    // the digits
    private final long first;
    private final long second;
    private final int last;

    /** What follows them: the owner's own account of itself, or a text from a node, or nothing. */
    private final @Nullable HolderInfo holderInfo;

    private final @Nullable String description;

    /** Draws an owner without a description. */
    public Owner(byte[] id) {
        this(id, null, null);
    }

    Owner(byte[] id, HolderInfo holderInfo) {
        this(id, holderInfo, null);
    }

    /**
     * Parses what an owner has written, or a test.
     *
     * @param value 40 hexadecimal digits; and perhaps a blank and at most 120 characters of printable ASCII
     */
    public Owner(String value) {
        this(HexFormat.of().parseHex(valid(value), 0, DIGITS), null, descriptionIn(value));
    }

    private Owner(byte[] id, @Nullable HolderInfo holderInfo, @Nullable String description) {
        if (id.length != ID_BYTES) {
            throw new IllegalArgumentException("an owner is drawn from " + ID_BYTES + " bytes, not " + id.length);
        }
        this.first = bits(id, 0, Long.BYTES);
        this.second = bits(id, Long.BYTES, Long.BYTES);
        this.last = (int) bits(id, 2 * Long.BYTES, Integer.BYTES);
        this.holderInfo = holderInfo;
        this.description = description;
    }

    private static long bits(byte[] id, int from, int count) {
        long bits = 0;
        for (int i = from; i < from + count; i++) {
            bits = bits << Byte.SIZE | id[i] & 0xff;
        }
        return bits;
    }

    private static String valid(String value) {
        if (!isValid(value)) {
            throw new IllegalArgumentException(
                    "an owner is " + DIGITS + " hexadecimal digits, and perhaps a blank and 1 to " + MOST_OF_DESCRIPTION
                            + " characters of printable ASCII, not " + value.length() + " characters");
        }
        return value;
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

    /** Returns the description in a value of this form; null if there is none. */
    static @Nullable String descriptionIn(String value) {
        return value.length() == DIGITS ? null : value.substring(DIGITS + 1);
    }

    /** Returns it as it is written to the nodes. */
    public String value() {
        StringBuilder value = new StringBuilder();
        writeTo(value);
        return value.toString();
    }

    /** Writes {@link #value} behind what is there. */
    public void writeTo(StringBuilder text) {
        int most = text.length() + DIGITS + 1 + MOST_OF_DESCRIPTION;
        writeDigits(first, Long.SIZE, text);
        writeDigits(second, Long.SIZE, text);
        writeDigits(last, Integer.SIZE, text);
        if (holderInfo != null) {
            holderInfo.writeTo(text.append(' '));
        } else if (description != null) {
            text.append(' ').append(description);
        }
        if (text.length() > most) {
            text.setLength(most);
        }
    }

    private static void writeDigits(long bits, int count, StringBuilder text) {
        for (int shift = count - 4; shift >= 0; shift -= 4) {
            text.append(Character.forDigit((int) (bits >>> shift) & 0xf, 16));
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Owner owner
                && first == owner.first
                && second == owner.second
                && last == owner.last
                && value().equals(owner.value());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(first ^ second) ^ last;
    }

    @Override
    public String toString() {
        return value();
    }
}
