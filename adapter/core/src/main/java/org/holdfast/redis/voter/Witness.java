// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.List;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A process that is asked which process a voter is.
 *
 * @param <T> what it answers
 */
interface Witness<T> {

    /** Returns where it is. */
    HostPort place();

    /**
     * Opens a connection to it.
     *
     * @param withPassword whether it has asked for one
     * @throws JedisException if there is none
     */
    NodeConnection open(NodeConnector connector, boolean withPassword);

    /** Returns what it is asked, one or more commands. */
    List<CommandArguments> questions();

    /**
     * Understands the replies, one to each question.
     *
     * @param replies each may be null, or an exception
     * @throws JedisException if it does not tell
     */
    T understand(List<@Nullable Object> replies);

    /** Says what it has answered. */
    String describe(T testimony);

    /** Says why it cannot be entered, where it asks for a password. */
    String lacksPassword();
}
