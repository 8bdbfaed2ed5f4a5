// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;

/** Somebody else held the lock until the wait timeout was over. */
public final class LockTimeoutException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String name;

    public LockTimeoutException(String name, Duration waited) {
        super("HF0201: lock '" + name + "' was held by somebody else for the whole wait timeout of " + waited.toMillis()
                + " ms");
        this.name = name;
    }

    /** Returns the lock's name. */
    public String name() {
        return name;
    }
}
