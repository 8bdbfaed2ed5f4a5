/**
 * Redis as the algorithm's nodes: the conversation with many nodes at once, and what is known of each.
 *
 * <p>A {@link org.holdfast.redis.NodeConnections} is one connection to each node, with no thread of its own: it writes
 * a command to every node, then waits for all of them together with one selector, on the calling thread. If several
 * callers wait, the thread of one reads for all ({@code SharedReader}). Calls are pipelined and their replies
 * matched in order ({@code Pipelines}), so a reply whose caller no longer waits is never taken for that of the next
 * request. A call carries out one command, or renewals of many leases ({@code Calls}, {@code PendingRenewals}); each
 * request receives its part of the reply ({@code Replies}).
 *
 * <p>{@link org.holdfast.redis.RedisProbe} inspects the nodes in the background. {@link org.holdfast.redis.NodeGroup}
 * is where a lock service begins.
 *
 * <p>Five rooms are below this one: {@link org.holdfast.redis.survey} answers operators,
 * {@link org.holdfast.redis.releases} receives releases by other processes,
 * {@link org.holdfast.redis.health} remembers which nodes are not to be asked, {@link org.holdfast.redis.wire} opens a
 * connection and reads its replies, {@link org.holdfast.redis.script} makes script calls of commands. Only the scripts
 * ({@code *.lua}) ever change a key. No other room knows Jedis.
 */
@NullMarked
package org.holdfast.redis;

import org.jspecify.annotations.NullMarked;
