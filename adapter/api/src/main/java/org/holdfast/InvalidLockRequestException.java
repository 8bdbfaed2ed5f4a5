// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** The request is not allowed; the message reports what would be. */
public final class InvalidLockRequestException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Reports a request that is not allowed.
     *
     * @param message what is not allowed, and what would be
     */
    public InvalidLockRequestException(String message) {
        super("HF0204: " + message);
    }
}
