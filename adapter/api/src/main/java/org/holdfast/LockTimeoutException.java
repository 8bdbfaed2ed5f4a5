// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;

/**
 * Another holder had the lock until the wait timeout was over; the message reports it if that was the calling thread
 * itself.
 */
public final class LockTimeoutException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * Reports that another holder had the lock.
     *
     * @param name the lock's name
     * @param waited the wait timeout
     */
    public LockTimeoutException(String name, Duration waited) {
        this(name, waited, "another holder");
    }

    /**
     * Reports which holder had the lock.
     *
     * @param name the lock's name
     * @param waited the wait timeout
     * @param holder which holder, for people
     */
    public LockTimeoutException(String name, Duration waited, String holder) {
        super("HF0201: lock '" + name + "' was held for the whole wait timeout of " + waited.toMillis() + " ms by "
                + holder);
        this.name = name;
    }

    /** {@return the lock's name} */
    public String name() {
        return name;
    }
}
