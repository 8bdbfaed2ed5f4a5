// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

/**
 * A node may be asked.
 *
 * @param runId which process it is; empty if no guard has inspected it
 * @param quarantineNanos how long it grants nothing new; 0 if it votes
 * @param reason why a quarantine was begun just now; empty if it was not
 */
public record Admission(String runId, long quarantineNanos, String reason) {

    static final Admission TRUSTED = new Admission("", 0, "");
}
