// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import org.holdfast.protocol.node.Command;

/** The name that a command is about: in a cluster its slot decides which shard is asked. */
public final class CommandName {

    private CommandName() {}

    /** Returns the name; the first of several, which are in the same slot. */
    public static String of(Command command) {
        if (command instanceof Command.OfClaim c) {
            return c.claim().target().name();
        }
        if (command instanceof Command.Refresh c) {
            return c.tickets().get(0).lock();
        }
        if (command instanceof Command.Leave c) {
            return c.ticket().lock();
        }
        if (command instanceof Command.FindPermit c) {
            return c.semaphore();
        }
        if (command instanceof Command.UseLatch c) {
            return c.latch().name();
        }
        return command instanceof Command.Inspect c
                ? c.locks().get(0).name()
                : ((Command.ForceRelease) command).locks().get(0).name();
    }
}
