// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.nio.charset.StandardCharsets;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/** How the scripts publish on a node. */
enum Publication {
    /** To all nodes of its cluster, if it is in one. */
    EVERYWHERE,
    /** To the nodes of its shard. */
    IN_SHARD;

    private static final String COMMAND_IN_SHARD = "SPUBLISH";

    /**
     * Asks a node of a cluster, which decides that for scripts by the same line. What it says holds as long as the
     * connection is open.
     *
     * @throws JedisException if it does not say
     */
    static Publication ask(NodeConnection connection) {
        Object command = connection.executeCommand(new CommandArguments(Command.EVAL)
                .add(LockScript.HOW_PUBLISHED.source())
                .add(0));
        return command instanceof byte[] name && COMMAND_IN_SHARD.equals(new String(name, StandardCharsets.UTF_8))
                ? IN_SHARD
                : EVERYWHERE;
    }
}
