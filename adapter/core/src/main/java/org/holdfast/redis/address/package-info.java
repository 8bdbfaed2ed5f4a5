/**
 * Where voters are, as the setting says: one process at a fixed address ({@link
 * org.holdfast.redis.address.NodeAddress}), the process that Redis Sentinel names ({@link
 * org.holdfast.redis.address.SentinelAddress}), or a Redis Cluster ({@link org.holdfast.redis.address.ClusterAddress}).
 *
 * <p>{@link org.holdfast.redis.address.VoterAddresses} reads a list of all, and says all that is wrong with it at
 * once. Nothing here opens a connection.
 */
@NullMarked
package org.holdfast.redis.address;

import org.jspecify.annotations.NullMarked;
