/**
 * One connection to one node: how it is opened, and how bytes become replies.
 *
 * <p>{@link org.holdfast.redis.wire.NodeConnector} opens connections. It asks the name server ({@code HostResolver}),
 * connects a socket that one thread can wait for together with others ({@code NodeSocket}, or {@code FileSockets} for a
 * socket that is a file), agrees on keys ({@code Tls}) and enters the node as a user
 * ({@link org.holdfast.redis.wire.ConnectionSecurity}), all within one node timeout. What comes of it is a
 * {@link org.holdfast.redis.wire.NodeConnection}, whose replies {@code ReplyReader} reads. If this process is the
 * reason that there is none, a {@link org.holdfast.redis.wire.LocalFailureException} says so: that counts against no
 * node.
 *
 * <p>Knows no script, no lock and no other node.
 */
@NullMarked
package org.holdfast.redis.wire;

import org.jspecify.annotations.NullMarked;
