// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.util.List;

/** What a node receives: the source of a script, its keys and its arguments. */
public record ScriptCall(String source, List<String> keys, List<String> arguments) {

    public ScriptCall {
        keys = List.copyOf(keys);
        arguments = List.copyOf(arguments);
    }
}
