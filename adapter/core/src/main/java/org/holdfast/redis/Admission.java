// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

/**
 * A node may be asked.
 *
 * @param runId which process it is; null if no guard has inspected it
 * @param quarantineNanos how long it grants nothing new; 0 if it votes
 * @param reason why a quarantine was begun just now; null if it was not
 */
record Admission(String runId, long quarantineNanos, String reason) {

    static final Admission TRUSTED = new Admission(null, 0, null);
}
