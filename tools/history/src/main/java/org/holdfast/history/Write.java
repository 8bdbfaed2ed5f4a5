// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.Objects;

/**
 * A write that the protected resource received, with a fencing token.
 *
 * @param lock the name of the lock that protects the resource
 * @param token the token that came with it
 * @param at when the resource decided
 * @param accepted whether it was written, or refused for its token
 */
public record Write(String lock, long token, long at, boolean accepted) {

    /** @throws NullPointerException if there is no name */
    public Write {
        Objects.requireNonNull(lock, "lock");
    }
}
