/**
 * What is known of each Redis node: whether it is asked, and why not.
 *
 * <p>Each new connection begins with an inspection ({@link org.holdfast.redis.health.NodeInspector}): it reads what the
 * node reports of itself and hands this to the {@linkplain org.holdfast.protocol.guard guard}. The guard decides, and
 * {@link org.holdfast.redis.health.NodeHealth} remembers the result. A node that fails is not asked for a while, so one
 * that hangs costs one timeout and not one per request. Two addresses that lead to one process count as one node
 * ({@code SameProcessCheck}).
 *
 * <p>{@link org.holdfast.redis.health.AskedNodes} is the door of this room: it connects, inspects, and weighs each
 * answer by what is known of the node's clock. This room knows nothing of pipelines and selectors; {@link
 * org.holdfast.redis} does.
 */
@NullMarked
package org.holdfast.redis.health;

import org.jspecify.annotations.NullMarked;
