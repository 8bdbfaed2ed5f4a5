// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.Optional;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;

/**
 * A holder's description of itself. It is written to the nodes with the {@link Owner}, for people to see; nothing
 * depends on it.
 *
 * @param where the process
 * @param thread the thread or the transaction; what is not printable ASCII becomes a question mark
 * @param mode how the lock was taken
 * @param token the fencing token
 * @param sinceMillis when it was taken, by the wall clock of the holder, since 1970
 */
public record HolderInfo(ProcessInfo where, String thread, LockMode mode, long token, long sinceMillis) {

    /** For a holder without a description, or with one that cannot be parsed. */
    public static final HolderInfo UNKNOWN =
            new HolderInfo(ProcessInfo.UNKNOWN, LockHolder.UNKNOWN, LockMode.EXCLUSIVE, 0, 0);

    private static final int PARTS = 6;

    /** Longer ones would not fit a long. */
    private static final int MOST_DIGITS = 18;

    private static final LockMode[] MODES = LockMode.values();

    public HolderInfo {
        thread = thread.isBlank() ? LockHolder.UNKNOWN : LogText.ascii(thread, Owner.MOST_OF_DESCRIPTION);
    }

    /**
     * Returns an owner that is described by this.
     *
     * @param id 20 bytes that no other owner has
     */
    public Owner owner(byte[] id) {
        return new Owner(id, this);
    }

    /** Writes moment, token, mode, pid, host, and last, because it may have blanks, the thread. */
    void writeTo(StringBuilder text) {
        text.append(sinceMillis)
                .append(' ')
                .append(token)
                .append(' ')
                .append(letter(mode))
                .append(' ')
                .append(where.pid())
                .append(' ')
                .append(where.host())
                .append(' ')
                .append(thread);
    }

    private static char letter(LockMode mode) {
        return mode.name().charAt(0); // they differ
    }

    /** Parses a value on a node, which any client may have written. */
    public static HolderInfo of(String value) {
        String description = Owner.isValid(value) ? Owner.descriptionIn(value) : null;
        String[] parts = description == null ? new String[0] : description.split(" ", PARTS);
        Optional<LockMode> mode = parts.length == PARTS ? mode(parts[2]) : Optional.empty();
        boolean understood = mode.isPresent()
                && isNumber(parts[0])
                && isNumber(parts[1])
                && isNumber(parts[3])
                && !parts[4].isEmpty();
        return understood
                ? new HolderInfo(
                        new ProcessInfo(parts[4], Long.parseLong(parts[3])),
                        parts[5],
                        mode.get(),
                        Long.parseLong(parts[1]),
                        Long.parseLong(parts[0]))
                : UNKNOWN;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static Optional<LockMode> mode(String text) {
        for (LockMode mode : MODES) {
            if (text.length() == 1 && text.charAt(0) == letter(mode)) {
                return Optional.of(mode);
            }
        }
        return Optional.empty();
    }
}
