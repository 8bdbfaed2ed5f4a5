// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

/** In which way a lock is held. */
public enum Kind {

    /** By one holder alone. */
    EXCLUSIVE,

    /** By any number of readers, while no holder has it alone. */
    SHARED,

    /** By as many holders as there are permits. */
    PERMIT
}
