// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

/** The holder has the lock to read, and would wait for itself to get it alone. */
public final class ReadByItselfException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    ReadByItselfException(String lock) {
        super(
                "HF0226: the holder has lock '" + lock
                        + "' to read and would wait for itself to get it alone: release it first, or take it to write from the beginning");
    }
}
