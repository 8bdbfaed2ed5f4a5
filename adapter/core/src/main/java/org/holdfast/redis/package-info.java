/**
 * Redis as the algorithm's nodes: connections, the conversation with many nodes at once, and the scripts.
 *
 * <p>A {@link org.holdfast.redis.Channel} is one connection to each node, used by whoever asks: it writes a command to
 * every node, then waits for all of them together with one selector, on the calling thread. Requests are pipelined and
 * their replies matched in order, so a reply that nobody waits for any more is never taken for the next one's. {@link
 * org.holdfast.redis.NodeHealth} remembers which nodes are not to be asked, so that one that hangs costs one timeout and not
 * one per request; {@link org.holdfast.redis.Inspection} looks at them in the background. {@link
 * org.holdfast.redis.Subscriber} hears of releases by other processes. The scripts ({@code *.lua}) are all that ever changes a
 * key.
 *
 * <p>The only room that knows Jedis.
 */
package org.holdfast.redis;
