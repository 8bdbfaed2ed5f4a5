/**
 * What a Redis Cluster says of itself: which node has which slots ({@link org.holdfast.redis.cluster.NodeView}), what a
 * majority of its primaries agrees upon ({@link org.holdfast.redis.cluster.ClusterMap}), and since when a node has all
 * that was granted in a slot ({@link org.holdfast.redis.cluster.SlotRecord}).
 *
 * <p>A {@link org.holdfast.redis.cluster.Shard} is a voter on the names in its slots. Nothing here opens a connection.
 */
@NullMarked
package org.holdfast.redis.cluster;

import org.jspecify.annotations.NullMarked;
