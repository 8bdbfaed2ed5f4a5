// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

/** A promise was broken; the message begins with its number in the design. */
final class Violation extends AssertionError {

    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message);
    }
}
