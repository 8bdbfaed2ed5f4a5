// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import redis.clients.jedis.args.Rawable;

/** A word of a call. Jedis would copy its bytes, and make a text of each number first. */
final class Word implements Rawable {

    private static final int MOST_DIGITS = 19;

    private final byte[] raw;

    /** @param raw is not copied, and not to be changed */
    private Word(byte[] raw) {
        this.raw = raw;
    }

    static Word of(String text) {
        return new Word(text.getBytes(StandardCharsets.UTF_8));
    }

    static Word of(long number) {
        if (number < 0) {
            return of(Long.toString(number));
        }
        byte[] digits = new byte[length(number)];
        long left = number;
        for (int at = digits.length - 1; at >= 0; at--) {
            digits[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        return new Word(digits);
    }

    private static int length(long number) {
        int length = 1;
        for (long bound = 10; length < MOST_DIGITS && number >= bound; bound *= 10) {
            length++;
        }
        return length;
    }

    @Override
    public byte[] getRaw() {
        return raw;
    }
}
