// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Which parts of a {@link LockRequest} go together, and in which ranges. Names the lock in each message. */
final class RequestRules {

    private RequestRules() {}

    /** Returns the names of a lock that has one, which is checked. */
    static List<String> names(String name) {
        checkName(name);
        return List.of(name);
    }

    /** Returns the names of a lock: checked, and each once. */
    static List<String> names(List<String> names) {
        if (Objects.requireNonNull(names, "names").size() == 1) {
            checkName(names.get(0));
            return List.copyOf(names);
        }
        Set<String> different = new LinkedHashSet<>();
        for (String name : names) {
            checkName(name);
            if (!different.add(name)) {
                throw new InvalidLockRequestException("each name must be given once, '" + name + "' was given again");
            }
        }
        if (different.isEmpty() || different.size() > LockRequest.MAX_NAMES) {
            throw new InvalidLockRequestException(
                    "a request must have 1 to " + LockRequest.MAX_NAMES + " names, had " + different.size());
        }
        return List.copyOf(different);
    }

    static void checkShape(List<String> names, LockMode mode, int permits, boolean fair) {
        boolean counts = mode == LockMode.PERMIT;
        if (counts ? permits < 1 || permits > LockRequest.MAX_PERMITS : permits != 0) {
            throw new InvalidLockRequestException(
                    "permits must be " + (counts ? "1 to " + LockRequest.MAX_PERMITS : "0 in the mode " + mode)
                            + ", was " + permits + lock(names));
        }
        if (fair && counts) {
            throw new InvalidLockRequestException(
                    "fair is not for the mode PERMIT: a caller takes any permit that it finds free" + lock(names));
        }
        if (names.size() > 1 && (mode != LockMode.EXCLUSIVE || fair)) {
            throw new InvalidLockRequestException("several names are taken in the mode EXCLUSIVE and not fair, was "
                    + mode + (fair ? ", fair" : "") + lock(names));
        }
    }

    private static String lock(List<String> names) {
        return " (lock '" + names.get(0) + "')";
    }

    /** @param ttlMember how the TTL was set */
    static void checkTimes(
            String name,
            LockMode mode,
            String ttlMember,
            Optional<Duration> ttl,
            Optional<Duration> maxHold,
            Optional<Duration> atLeast) {
        checkAtLeastMinimum(ttlMember, ttl, name);
        checkAtLeastMinimum("maxHold", maxHold, name);
        checkAtLeastMinimum("atLeast", atLeast, name);
        if (atLeast.isEmpty()) {
            return;
        }
        Duration least = atLeast.get();
        if (mode != LockMode.EXCLUSIVE) {
            throw new InvalidLockRequestException(
                    "atLeast is for the mode EXCLUSIVE, was " + mode + " (lock '" + name + "')");
        }
        checkCovers(ttlMember, ttl, least, name);
        checkCovers("maxHold", maxHold, least, name);
    }

    private static void checkCovers(String part, Optional<Duration> duration, Duration least, String name) {
        if (duration.isPresent() && duration.get().compareTo(least) < 0) {
            throw new InvalidLockRequestException(part + " must not be less than atLeast, which is " + least + ", was "
                    + duration.get() + " (lock '" + name + "')");
        }
    }

    private static void checkAtLeastMinimum(String part, Optional<Duration> duration, String name) {
        if (duration.isPresent() && duration.get().compareTo(LockRequest.MIN_TTL) < 0) {
            throw new InvalidLockRequestException(part + " must be at least " + LockRequest.MIN_TTL.toMillis()
                    + " ms, was " + duration.get() + " (lock '" + name + "')");
        }
    }

    private static void checkName(String name) {
        if (name == null || name.isEmpty()) {
            throw new InvalidLockRequestException("the lock's name must be 1 to " + LockRequest.MAX_NAME_BYTES
                    + " bytes of UTF-8, was " + (name == null ? "null" : "empty"));
        }
        int bytes = utf8Length(name);
        if (bytes > LockRequest.MAX_NAME_BYTES) {
            throw new InvalidLockRequestException("the lock's name must be 1 to " + LockRequest.MAX_NAME_BYTES
                    + " bytes of UTF-8, was " + bytes + " bytes ('" + name.substring(0, 32) + "…')");
        }
    }

    /** Half a surrogate pair would become a question mark on the wire: two names, one lock. */
    private static int utf8Length(String name) {
        if (name.length() <= LockRequest.MAX_NAME_BYTES / 3 && isAscii(name)) {
            return name.length();
        }
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            return encoded.remaining();
        } catch (CharacterCodingException e) {
            throw new InvalidLockRequestException(
                    "the lock's name must be well-formed Unicode, was '" + name + "' with half a surrogate pair");
        }
    }

    private static boolean isAscii(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
