/**
 * The nodes of a lock service where some are Redis Clusters: on each name the shards vote that have its slot.
 *
 * <p>{@link org.holdfast.redis.sharded.ShardedNodes} has a {@link org.holdfast.redis.NodeGroup} for each combination of
 * shards, and gives each command to the one that votes on its name. Everything else is as with fixed nodes.
 */
@NullMarked
package org.holdfast.redis.sharded;

import org.jspecify.annotations.NullMarked;
