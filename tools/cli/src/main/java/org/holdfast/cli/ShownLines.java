// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.regex.Pattern;

/** Where commands print. Names of locks may be anything: nothing in them begins a line, or moves a cursor. */
final class ShownLines extends PrintWriter {

    private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{C}\\u2028\\u2029]");

    /** A text of several lines that was put together here, such as that of {@code --help}. */
    private static final Pattern NOT_SHOWN_IN_TEXT = Pattern.compile("[\\p{C}\\u2028\\u2029&&[^\\r\\n]]");

    /** @param destination receives what is printed, and is flushed after each line */
    ShownLines(PrintWriter destination) {
        super(destination, true);
    }

    /** Returns a text in which nothing begins a line or moves a cursor. */
    static String shown(String text) {
        return NOT_SHOWN.matcher(text).replaceAll("?");
    }

    /** Prints one line, whatever is in it. */
    @Override
    public void println(String line) {
        super.println(shown(String.valueOf(line)));
    }

    /** Prints one line, whatever is in it. */
    @Override
    public void println(Object line) {
        println(String.valueOf(line));
    }

    @Override
    public void print(String text) {
        super.print(NOT_SHOWN_IN_TEXT.matcher(String.valueOf(text)).replaceAll("?"));
    }
}
