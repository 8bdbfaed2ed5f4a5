// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The parts that all forms of addresses share. */
final class AddressText {

    private static final String SCHEME_END = "://";

    /** All that may stand there, which is no secret, is {@code ?durable=} and a word. */
    private static final Pattern BEHIND_DATABASE = Pattern.compile("([?#])(?!durable=[a-z]*$).*", Pattern.DOTALL);

    private static final Pattern HOST_AND_PORT = Pattern.compile("[^:]*(:[0-9x]{0,5})?|\\[[^\\]]*\\](:[0-9x]{0,5})?");
    private static final Pattern UNENCODED = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private AddressText() {}

    /** As which user a node is entered: both null for no user info, the user null for the default user. */
    record Credentials(@Nullable String user, @Nullable String password) {

        /** Without the password. */
        @Override
        public String toString() {
            return user == null ? "default user" : "user " + user;
        }
    }

    /**
     * Returns user and password.
     *
     * @param raw what stands before the @, percent-encoded; null for nothing
     * @throws IllegalArgumentException if there is a user without a password
     */
    static Credentials credentials(@Nullable String raw) {
        if (raw == null) {
            return new Credentials(null, null);
        }
        int colon = raw.indexOf(':');
        if (colon < 0 || colon == raw.length() - 1) {
            throw new IllegalArgumentException("there is a user without a password");
        }
        return new Credentials(colon == 0 ? null : decode(raw.substring(0, colon)), decode(raw.substring(colon + 1)));
    }

    /**
     * Returns a text without percent-encoding; a plus is a plus.
     *
     * @throws IllegalArgumentException if it is not encoded; without a part of it, which may be a password
     */
    static String decode(String raw) {
        if (UNENCODED.matcher(raw).find()) {
            throw new IllegalArgumentException("a % must be followed by two hexadecimal digits");
        }
        return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /**
     * Returns the text for messages. Whatever stands before the last @ may hold a password, and so may what looks like
     * a port and is no number, and what stands behind the database: other clients take a password there.
     */
    static String withoutSecrets(String text) {
        return BEHIND_DATABASE.matcher(withoutUser(text)).replaceFirst("$1****");
    }

    /** Returns one of several hosts for messages: what looks like a port and is no number may be a password. */
    static String host(String text) {
        return HOST_AND_PORT.matcher(text).matches() ? text : "****";
    }

    private static String withoutUser(String text) {
        int scheme = text.indexOf(SCHEME_END);
        int start = scheme < 0 ? 0 : scheme + SCHEME_END.length();
        int at = text.lastIndexOf('@');
        String prefix = text.substring(0, start);
        if (at >= start) {
            return prefix + "****" + text.substring(at);
        }
        boolean mayBeHostAndPort = text.substring(start).matches("[^:]*(:[0-9x]{0,5})?([/?#].*)?|\\[.*");
        return mayBeHostAndPort ? text : prefix + "****";
    }
}
