// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

/**
 * A reply with its sender.
 *
 * @param node which node
 * @param reply its reply, or that there was none
 * @param nodeMicros the node's own clock when it answered, in microseconds since 1970; 0 if it did not answer
 */
public record Answer(int node, Reply reply, long nodeMicros) {}
