// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;

/**
 * This process cannot open a connection: it lacks files, memory or threads, or cannot read a file of its own.
 *
 * <p>That says nothing of the node. It has no cause, so that it is what {@link Failures#innermost} finds.
 */
public final class LocalFailureException extends IOException {

    private static final long serialVersionUID = 1L;

    /** @param reason what this process lacks */
    public LocalFailureException(String reason) {
        super("this process cannot open a connection: " + reason);
    }

    /** Returns whether a failure has its reason in this process. */
    public static boolean isReasonOf(Throwable failure) {
        return Failures.innermost(failure) instanceof LocalFailureException;
    }

    static LocalFailureException of(Throwable failure) {
        return failure instanceof LocalFailureException known
                ? known
                : new LocalFailureException(Failures.describe(failure));
    }
}
