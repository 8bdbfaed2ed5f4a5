// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.regex.Pattern;
import org.luaj.vm2.LuaError;

/** How Redis reads and writes numbers. */
final class RedisNumbers {

    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    /** From here on, and below the other one, Redis writes an exponent. */
    private static final double LARGE = 1e17;

    private static final double SMALL = 1e-4;

    /** As many as tell any two doubles apart. */
    private static final MathContext DIGITS = new MathContext(17);

    private RedisNumbers() {}

    /** Writes an argument or a score, as {@code %.17g} does in C: LuaJ cuts fractions to the precision of a float. */
    static String text(double number) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        double size = Math.abs(number);
        if (size == 0) {
            return 1 / number < 0 ? "-0" : "0";
        }
        if (!(size >= SMALL && size < LARGE)) {
            throw new IllegalArgumentException("the Redis in memory does not write " + number);
        }
        return number == (long) number
                ? Long.toString((long) number)
                : new BigDecimal(number).round(DIGITS).toPlainString();
    }

    static double score(String text) {
        return real(text, "ERR value is not a valid float");
    }

    /** @param complaint what Redis says if it is no number */
    static double real(String text, String complaint) {
        if (isPlain(text)) {
            return Long.parseLong(text);
        }
        switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf":
                return Double.POSITIVE_INFINITY;
            case "-inf":
                return Double.NEGATIVE_INFINITY;
            default:
                if (!DECIMAL.matcher(text).matches()) {
                    throw new LuaError(complaint);
                }
                return Double.parseDouble(text);
        }
    }

    /** Most numbers are: without a sign, without a zero at the front, and small enough to be a double. */
    private static boolean isPlain(String text) {
        int length = text.length();
        if (length == 0 || length > 15 || length > 1 && text.charAt(0) == '0') {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Unlike Java, Redis takes neither a plus nor leading zeros. */
    static long integer(String text) {
        if (isPlain(text)) {
            return Long.parseLong(text);
        }
        try {
            long number = Long.parseLong(text);
            if (Long.toString(number).equals(text)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // as any other text
        }
        throw new LuaError("ERR value is not an integer or out of range");
    }
}
