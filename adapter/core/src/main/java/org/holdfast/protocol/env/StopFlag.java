// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/** Whether the lock service has been stopped, which no lock is taken after. Safe for use by any number of threads. */
public final class StopFlag {

    private volatile boolean raised;

    public void raise() {
        raised = true;
    }

    public boolean isRaised() {
        return raised;
    }

    /** @throws IllegalStateException if the service has been stopped */
    public void requireOpen() {
        if (raised) {
            throw stopped();
        }
    }

    public static IllegalStateException stopped() {
        return new IllegalStateException("the lock service has been stopped: its factory or adapter was closed");
    }
}
