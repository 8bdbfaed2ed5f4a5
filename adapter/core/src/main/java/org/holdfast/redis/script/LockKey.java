// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.Optional;

/**
 * A key that shows that there is a lock.
 *
 * @param name of the lock
 * @param permits how many permits a semaphore has at the least; 0 if it is the key of a lock
 */
public record LockKey(String name, int permits) {

    private static final String PERMIT = "permit-";
    private static final String LOCK = "lock";
    private static final String END_OF_NAME = "}:";

    /** A permit that no request has is no key of ours. */
    private static final int MOST_DIGITS = 4;

    /** Returns what the key of a node shows; nothing for a key of another kind, or of another prefix. */
    public static Optional<LockKey> parse(String prefix, String key) {
        int end = key.lastIndexOf(END_OF_NAME); // no key has one behind the name
        String begin = key.startsWith(prefix + ":-{-") ? prefix + ":-{-" : prefix + ":{";
        if (end < begin.length() || !key.startsWith(begin)) {
            return Optional.empty();
        }
        String name = key.substring(begin.length(), end);
        String kind = key.substring(end + END_OF_NAME.length());
        return switch (kind) {
            case LOCK, "queue", "queue-reading" -> Optional.of(new LockKey(name, 0));
            default -> permit(kind).map(number -> new LockKey(name, number + 1));
        };
    }

    private static Optional<Integer> permit(String kind) {
        if (!kind.startsWith(PERMIT) || !kind.endsWith(":" + LOCK)) {
            return Optional.empty();
        }
        String number = kind.substring(PERMIT.length(), kind.length() - LOCK.length() - 1);
        boolean isNumber = !number.isEmpty()
                && number.length() < MOST_DIGITS
                && number.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Optional.of(Integer.parseInt(number)) : Optional.empty();
    }

    /** Returns the pattern that all keys of a prefix match, in the language of {@code SCAN}. */
    public static String pattern(String prefix) {
        return prefix.replaceAll("([\\\\*?\\[\\]])", "\\\\$1") + ":*{*}:*";
    }
}
