// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;

/** The address of a host is not known yet, which says nothing of the node that is there. */
public final class ResolutionTimeoutException extends IOException {

    private static final long serialVersionUID = 1L;

    ResolutionTimeoutException(String host) {
        super("the name server has not said in time where host " + host + " is");
    }

    /** Returns whether a failure has its reason in a lookup that took too long. */
    public static boolean isReasonOf(Throwable failure) {
        return Failures.innermost(failure) instanceof ResolutionTimeoutException;
    }
}
