// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.holdfast.protocol.node.Owner;

/**
 * One call of a script, in the bytes that a node receives: how many words it has, and before each word its length.
 *
 * <p>Its memory serves for call after call: as objects, the words of two calls were a fifth of what a lock allocates.
 * For one thread at a time.
 */
public final class CallBytes {

    /** A larger call gives its memory back before the next one. */
    private static final int MOST_KEPT = 8_192;

    private static final int USUAL = 512;

    /** Room for the number of words, which is known last: a star, ten digits and the end of the line. */
    private static final int HEAD = 13;

    private static final int MOST_DIGITS = 19;
    private static final byte[] END_OF_LINE = {'\r', '\n'};

    private byte[] bytes = new byte[USUAL];
    private final StringBuilder text = new StringBuilder(USUAL / 2);
    private int end = HEAD;
    private int words;
    private boolean complete;

    /** Forgets the call that was written before. */
    CallBytes begin() {
        if (bytes.length > MOST_KEPT) {
            bytes = new byte[USUAL];
        }
        end = HEAD;
        words = 0;
        complete = false;
        return this;
    }

    CallBytes add(byte[] word) {
        addLength(word.length);
        System.arraycopy(word, 0, bytes, end, word.length);
        return endWord(word.length);
    }

    CallBytes add(String word) {
        int length = word.length();
        int before = end;
        addLength(length);
        byte[] to = bytes;
        int at = end;
        for (int i = 0; i < length; i++) {
            char c = word.charAt(i);
            if (c > '\u007f') {
                end = before;
                return add(word.getBytes(StandardCharsets.UTF_8));
            }
            to[at++] = (byte) c;
        }
        return endWord(length);
    }

    CallBytes add(Owner owner) {
        text.setLength(0);
        owner.writeTo(text);
        int length = text.length();
        addLength(length);
        for (int i = 0; i < length; i++) {
            bytes[end + i] = (byte) text.charAt(i); // ASCII
        }
        return endWord(length);
    }

    CallBytes add(long number) {
        if (number < 0) {
            return add(Long.toString(number));
        }
        int length = digits(number);
        addLength(length);
        putDigits(number, end + length);
        return endWord(length);
    }

    /** Begins a word, and makes room for it. */
    private void addLength(int length) {
        int most = end + 1 + MOST_DIGITS + END_OF_LINE.length + length + END_OF_LINE.length;
        if (most > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * most);
        }
        bytes[end++] = '$';
        end += digits(length);
        putDigits(length, end);
        endLine();
    }

    private CallBytes endWord(int length) {
        end += length;
        endLine();
        words++;
        return this;
    }

    private void endLine() {
        bytes[end++] = '\r';
        bytes[end++] = '\n';
    }

    /** Writes a number in front of a place; returns where it begins. */
    private int putDigits(long number, int before) {
        int at = before;
        long left = number;
        do {
            bytes[--at] = (byte) ('0' + left % 10);
            left /= 10;
        } while (left > 0);
        return at;
    }

    private static int digits(long number) {
        int length = 1;
        for (long bound = 10; length < MOST_DIGITS && number >= bound; bound *= 10) {
            length++;
        }
        return length;
    }

    /** No word may follow: its script would take one more for another one. */
    CallBytes complete() {
        complete = true;
        return this;
    }

    boolean isComplete() {
        return complete;
    }

    /** Writes the call to a node. */
    public void writeTo(OutputStream node) throws IOException {
        int endOfHead = HEAD - END_OF_LINE.length;
        System.arraycopy(END_OF_LINE, 0, bytes, endOfHead, END_OF_LINE.length);
        int from = putDigits(words, endOfHead) - 1;
        bytes[from] = '*';
        node.write(bytes, from, end - from);
    }

    /** Returns its words: the command, the script or its SHA, how many keys there are, the keys, and the arguments. */
    public List<byte[]> words() {
        List<byte[]> all = new ArrayList<>(words);
        for (int at = HEAD; at < end; ) {
            int length = 0;
            for (at++; bytes[at] != '\r'; at++) {
                length = 10 * length + bytes[at] - '0';
            }
            at += END_OF_LINE.length;
            all.add(Arrays.copyOfRange(bytes, at, at + length));
            at += length + END_OF_LINE.length;
        }
        return all;
    }
}
