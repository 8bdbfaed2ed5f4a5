// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.List;

/** Settings that cannot be used; the message names all of them, what they were and what is allowed. */
public final class InvalidSettingsException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Reports settings that cannot be used.
     *
     * @param violations each setting that cannot be used, what it was and what is allowed
     */
    public InvalidSettingsException(List<String> violations) {
        super("HF0101: invalid settings: " + String.join("; ", violations));
    }
}
