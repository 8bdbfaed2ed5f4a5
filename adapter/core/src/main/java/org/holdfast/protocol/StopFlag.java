// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/** Whether the lock service has been stopped, which no lock is taken after. Safe for use by any number of threads. */
final class StopFlag {

    private volatile boolean raised;

    void raise() {
        raised = true;
    }

    boolean isRaised() {
        return raised;
    }

    /** @throws IllegalStateException if the service has been stopped */
    void requireOpen() {
        if (raised) {
            throw stopped();
        }
    }

    static IllegalStateException stopped() {
        return new IllegalStateException("the lock service has been stopped: its factory or adapter was closed");
    }
}
