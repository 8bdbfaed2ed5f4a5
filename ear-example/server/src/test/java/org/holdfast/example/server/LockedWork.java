// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

/** A view of EJBs of another module. */
public interface LockedWork {

    /** Returns whether the lock is held meanwhile. */
    boolean isHeldMeanwhile(String lock);
}
