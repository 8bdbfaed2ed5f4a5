// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.util.Objects;

/**
 * Reports that a lease ended without release.
 *
 * @param name the lock's name
 * @param token the lease's fencing token
 * @param heldFor how long it was held for certain
 * @param reason what happened, in words
 */
public record LeaseLoss(String name, long token, Duration heldFor, String reason) {

    /**
     * Checks that everything is there.
     *
     * @param name the lock's name
     * @param token the lease's fencing token
     * @param heldFor how long it was held for certain
     * @param reason what happened, in words
     */
    public LeaseLoss {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(heldFor, "heldFor");
        Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String toString() {
        return "lease on '" + name + "' with token " + token + " was lost after " + heldFor.toMillis() + " ms: "
                + reason;
    }
}
