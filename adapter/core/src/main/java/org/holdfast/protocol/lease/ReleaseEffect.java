// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

/** What is to become of the nodes' locks when one lease of several of the same holder is released. */
enum ReleaseEffect {
    /** Other leases are left, or there is nothing to release. */
    NOTHING,
    /** The leases that are left only read: other readers are to be let in. */
    DOWNGRADE,
    /** It was the last. */
    RELEASE
}
