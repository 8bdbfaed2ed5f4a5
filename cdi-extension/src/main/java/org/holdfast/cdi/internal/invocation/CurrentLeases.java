// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import org.holdfast.Lease;

/** The leases of the locked methods that each thread is in. */
public final class CurrentLeases {

    private final ThreadLocal<Frame> innermost = new ThreadLocal<>();

    private record Frame(Lease lease, Frame outer) {}

    void enter(Lease lease) {
        innermost.set(new Frame(lease, innermost.get()));
    }

    /** Ends what was entered last. Leaves nothing behind in the thread when that was the outermost. */
    void leave() {
        Frame outer = innermost.get().outer();
        if (outer == null) {
            innermost.remove();
        } else {
            innermost.set(outer);
        }
    }

    /** @throws IllegalStateException if the thread is in no locked method */
    Lease current() {
        Frame frame = innermost.get();
        if (frame == null) {
            throw new IllegalStateException(
                    "there is no lease: this thread is in no method that is @Locked, and an injected"
                            + " Lease is that of the innermost");
        }
        return frame.lease();
    }
}
