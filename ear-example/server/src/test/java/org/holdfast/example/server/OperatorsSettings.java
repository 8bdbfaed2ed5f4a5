// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.Arrays;
import java.util.Map;
import org.holdfast.Setting;

/**
 * What an operator would set on the command line of the server, for the module that is deployed. The nodes are there
 * already. A module that is refused leaves its settings, so each module takes those of others away.
 */
final class OperatorsSettings {

    private OperatorsSettings() {}

    static void set(Map<Setting, String> settings) {
        clear();
        settings.forEach((setting, value) -> System.setProperty(setting.property(), value));
    }

    static void clear() {
        Arrays.stream(Setting.values())
                .filter(setting -> setting != Setting.NODES)
                .forEach(setting -> System.clearProperty(setting.property()));
    }
}
