// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** The root of what goes wrong with locks. Unchecked. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message what went wrong, for people */
    public LockException(String message) {
        super(message);
    }

    /**
     * @param message what went wrong, for people
     * @param cause why; null if that is unknown
     */
    public LockException(String message, Throwable cause) {
        super(message, cause);
    }
}
