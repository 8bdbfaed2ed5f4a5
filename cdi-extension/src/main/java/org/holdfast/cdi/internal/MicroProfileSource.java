// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.util.function.UnaryOperator;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** MicroProfile Config, in a class of its own: it is loaded only where there is such a thing. */
final class MicroProfileSource {

    private MicroProfileSource() {}

    static UnaryOperator<String> ofTheApplication() {
        try {
            Config config = ConfigProvider.getConfig();
            return key -> config.getOptionalValue(key, String.class).orElse(null);
        } catch (IllegalStateException e) { // the API alone, without an implementation
            return System::getProperty;
        }
    }
}
