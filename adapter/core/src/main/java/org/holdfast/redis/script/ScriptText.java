// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script as a node receives it.
 *
 * @param source is not copied, and not to be changed
 * @param sha the name by which a node knows the script once it has seen it: its SHA-1 in hexadecimal
 */
record ScriptText(byte[] source, byte[] sha) {

    static ScriptText of(byte[] source) {
        return new ScriptText(source, sha1(source).getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the same script behind a statement, in the same lines. */
    ScriptText behind(String statement) {
        byte[] first = statement.getBytes(StandardCharsets.UTF_8);
        byte[] whole = new byte[first.length + source.length];
        System.arraycopy(first, 0, whole, 0, first.length);
        System.arraycopy(source, 0, whole, first.length, source.length);
        return of(whole);
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
