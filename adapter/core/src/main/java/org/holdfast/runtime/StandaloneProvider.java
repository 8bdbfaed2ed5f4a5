// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockOperations;

/** Found by {@link Holdfast#connect(Map)} on the class path. */
public final class StandaloneProvider implements Holdfast.Provider {

    @Override
    public LockConnectionFactory connect(Map<String, String> settings) {
        return new StandaloneConnectionFactory(Settings.of(settings));
    }

    @Override
    public LockOperations operate(Map<String, String> settings) {
        return new StandaloneOperations(Settings.of(settings));
    }
}
