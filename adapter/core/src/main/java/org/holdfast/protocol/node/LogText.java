// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/** Text from an untrusted source, made safe to show: nothing in it begins a line or moves a cursor. */
public final class LogText {

    private static final char REPLACEMENT = '?';
    private static final char QUOTE = '\'';
    private static final char ESCAPE = '\\';

    private LogText() {}

    /** Returns whether there is nothing but printable ASCII in it. */
    static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isAscii(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAscii(char c) {
        return c >= ' ' && c <= '~';
    }

    /** Returns so many characters of it at the most, each as it is or, if it is no printable ASCII, a question mark. */
    static String ascii(String text, int most) {
        if (text.length() <= most && isAscii(text)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(most);
        for (int i = 0; i < text.length() && i < most; i++) {
            shown.append(isAscii(text.charAt(i)) ? text.charAt(i) : REPLACEMENT);
        }
        return shown.toString();
    }

    /** Returns it in quotes, which are where it begins and ends, and nowhere in it without a backslash. */
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append(QUOTE);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == QUOTE || c == ESCAPE) {
                quoted.append(ESCAPE);
            }
            quoted.append(c);
        }
        return quoted.append(QUOTE).toString();
    }

    /** Returns it in any language, with a question mark for each character that has an effect instead of a shape. */
    public static String line(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().map(c -> hasShape(c) ? c : REPLACEMENT).forEach(shown::appendCodePoint);
        return shown.toString();
    }

    private static boolean hasShape(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
