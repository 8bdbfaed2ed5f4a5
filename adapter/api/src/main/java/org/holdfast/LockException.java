// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** The root of what goes wrong with locks. Unchecked. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockException(String message) {
        super(message);
    }

    public LockException(String message, Throwable cause) {
        super(message, cause);
    }
}
