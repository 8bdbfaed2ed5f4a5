/**
 * What nodes are asked, as calls of Lua scripts, and what the scripts return.
 *
 * <p>{@link org.holdfast.redis.script.LockScript} says of which files each script is made: the {@code *.lua} resources
 * stand in {@code org/holdfast/redis}. {@link org.holdfast.redis.script.ScriptCodec} writes the call of a command
 * into {@link org.holdfast.redis.script.CallBytes}, as the bytes that a node receives, and {@link
 * org.holdfast.redis.script.ReplyDecoder} makes a reply of what the script returned; whatever no script of ours returns
 * is refused. {@link org.holdfast.redis.script.KnownScripts} remembers which nodes need the source.
 *
 * <p>Opens no connection.
 */
@NullMarked
package org.holdfast.redis.script;

import org.jspecify.annotations.NullMarked;
