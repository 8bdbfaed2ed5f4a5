// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

/** How long a lock is held. */
public enum LockScope {

    /**
     * Until the transaction has completed that is active when the method is called; without one, until the method has
     * ended.
     */
    TRANSACTION,

    /**
     * Until the method has ended, also in a transaction that goes on: then others get the lock before they see what
     * that transaction has done. What the method begins itself, by {@code Transactional} or else, has completed by
     * then.
     */
    INVOCATION
}
