// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;

/** Connections to the nodes. Safe for use by any number of threads. */
public interface NodeChannel extends Nodes, AutoCloseable {

    /** Returns whether this channel can still be used, without a check of its connections. */
    boolean isOpen();

    /**
     * Reads the answers that have come and no caller waits for, drops connections that their nodes have closed, and
     * returns whether this channel can still be used. Such an answer may report that a node does not know a script,
     * which must then be sent to it.
     */
    boolean isUsable();

    /**
     * Waits until every request has its answer, or its node is given up.
     *
     * @param deadline when to stop waiting; an interrupt stops it too, and stays set
     */
    void awaitAnswers(long deadline);

    /**
     * Closes the connections. Waits for what is under way, for 100 ms and a node timeout at the most; what has not come
     * by then is answered with {@link Reply.NoAnswer}. An interrupt ends the wait, and stays set.
     */
    @Override
    void close();

    /**
     * As {@link #close()}.
     *
     * @param deadline on the scale of {@link System#nanoTime()}
     */
    void close(long deadline);
}
