// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.Objects;

/**
 * What one caller saw of one lock: from when to when it was told to have it. All moments are of one clock, in
 * nanoseconds.
 *
 * @param caller a number for each caller that does one thing after the other
 * @param lock the name of the lock
 * @param kind in which way it was held
 * @param permits how many holders there may be, 1 or more; counts for {@link Kind#PERMIT} only
 * @param token the fencing token, 1 or larger
 * @param asked a moment before the caller asked
 * @param granted the moment at which the caller had the answer
 * @param end until when the caller may believe to hold it: it began to release, the validity ended or it was told of a
 *     loss, whatever came first. Before {@code granted} if the lease was over when it came.
 * @param closed when the caller was through with it, at {@code end} or later; {@link Long#MAX_VALUE} if it never was,
 *     because it was killed
 */
public record Hold(
        int caller, String lock, Kind kind, int permits, long token, long asked, long granted, long end, long closed) {

    /** @throws IllegalArgumentException if these moments or numbers cannot be */
    public Hold {
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(kind, "kind");
        require(permits >= 1, "permits", permits, "1 or more");
        require(token >= 1, "token", token, "1 or larger");
        require(granted >= asked, "granted", granted, "not before asked, " + asked);
        require(closed >= end, "closed", closed, "not before end, " + end);
    }

    private static void require(boolean met, String name, long actual, String expected) {
        if (!met) {
            throw new IllegalArgumentException(name + " is " + actual + ", and must be " + expected);
        }
    }

    /** Returns whether the caller could believe to hold it for some time. */
    boolean isClaimed() {
        return end > granted;
    }

    boolean isShared() {
        return kind == Kind.SHARED;
    }

    /** Returns whether two callers could believe to hold it at one moment. */
    boolean overlaps(Hold other) {
        return isClaimed() && other.isClaimed() && end > other.granted && other.end > granted;
    }

    @Override
    public String toString() {
        return "caller " + caller + " (" + kind + ", token " + token + ", asked " + asked + ", granted " + granted
                + ", end " + end + ")";
    }
}
