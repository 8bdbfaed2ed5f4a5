// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

/** What a history must keep. */
public enum Rule {

    /** Two callers that keep each other out did not hold a lock at one moment. */
    EXCLUSION,

    /** A lock that was held or asked for later has the larger token. */
    TOKEN_ORDER,

    /** No two holders have one token, but for a writer that goes on as a reader. */
    OWN_TOKEN,

    /** A semaphore never had more holders than permits. */
    PERMITS,

    /** The resource accepts a write unless it has seen a larger token. */
    WRITE_ORDER,

    /** The resource sees no token before its holder has asked for the lock. */
    KNOWN_TOKEN
}
