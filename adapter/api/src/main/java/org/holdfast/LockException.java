// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of what goes wrong with locks. Unchecked. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Reports a failure.
     *
     * @param message what went wrong, for people
     */
    public LockException(String message) {
        super(message);
    }

    /**
     * Reports a failure with its cause.
     *
     * @param message what went wrong, for people
     * @param cause why; null if that is unknown
     */
    public LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
