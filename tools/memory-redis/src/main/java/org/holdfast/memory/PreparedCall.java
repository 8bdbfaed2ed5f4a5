// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import org.luaj.vm2.LuaTable;

/** A call as Lua sees it, which is the same on each node. */
public final class PreparedCall {

    private final ScriptCall call;
    final LuaTable keys;
    final LuaTable arguments;

    public PreparedCall(ScriptCall call) {
        this.call = call;
        this.keys = LuaConversions.array(call.keys());
        this.arguments = LuaConversions.array(call.arguments());
    }

    /** Returns what the node receives. */
    public ScriptCall call() {
        return call;
    }
}
