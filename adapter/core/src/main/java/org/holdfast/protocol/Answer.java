// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/**
 * A reply with its sender.
 *
 * @param node which node
 * @param reply what it said, or that it did not
 * @param nodeMicros the node's own clock when it answered, in microseconds since 1970; 0 if it did not answer
 */
public record Answer(int node, Reply reply, long nodeMicros) {}
