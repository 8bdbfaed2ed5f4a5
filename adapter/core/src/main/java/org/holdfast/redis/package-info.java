/**
 * Redis as the algorithm's nodes: connections, the conversation with many nodes at once, and the scripts.
 *
 * <p>A {@link org.holdfast.redis.NodeConnections} is one connection to each node, with no thread of its own: it writes
 * a command to every node, then waits for all of them together with one selector, on the calling thread. If several
 * callers wait, the thread of one reads for all. Requests are pipelined and their replies matched in order, so a reply whose caller no longer waits is never taken for that of the
 * next request. {@link org.holdfast.redis.NodeHealth} remembers which nodes are not to be asked, so that one that hangs
 * costs one timeout and not one per request; {@link org.holdfast.redis.RedisProbe} inspects them in the background,
 * and {@code NodeInspector} each new connection. {@code LockScript} says of which files each script is made. {@link org.holdfast.redis.Subscriber} receives releases by other processes. Only the scripts ({@code *.lua}) ever
 * change a key.
 *
 * <p>The only room that knows Jedis.
 */
package org.holdfast.redis;
