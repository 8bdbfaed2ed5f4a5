// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeErrors;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * The channels that one connection is subscribed to. For one thread.
 *
 * <p>A node ends the subscriptions to a slot by itself when another one gets the slot, and does not take new ones. Nor
 * does it while a script keeps it busy, or while it loads its data. They are asked for again, now and then, as long as
 * they are wanted here: the slot may come back.
 */
final class ReleaseChannels {

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Of a number that is surely a long. */
    private static final int MOST_DIGITS = 18;

    /** Receives what the node reports. */
    interface Listener {

        /** The node will report releases of the lock from now on. */
        void confirmed(String lock);

        /** The node does not report them any more: another one has its slot. */
        void ended(String lock);

        /** @param message what was published */
        void released(String lock, String message);

        /** @param token the token of the forced release */
        void releasedByForce(String lock, long token);
    }

    private final NodeConnection connection;
    private final NodeKeys keys;
    private final Time time;
    private final Listener listener;
    private final Command subscribe;
    private final Command unsubscribe;

    /** The locks that were asked for, by channel. */
    private final Map<String, String> lockOfChannel = new HashMap<>();

    /** Those that the node has confirmed. */
    private final Set<String> confirmed = new HashSet<>();

    private Set<String> served = Set.of();

    /** When to ask again for what has ended or was not taken; nothing if there is no such thing. */
    private Optional<Long> retryAt = Optional.empty();

    /** @param publication how the node publishes */
    ReleaseChannels(NodeConnection connection, Publication publication, NodeKeys keys, Time time, Listener listener) {
        this.connection = connection;
        this.keys = keys;
        this.time = time;
        this.listener = listener;
        boolean inShard = publication == Publication.IN_SHARD;
        this.subscribe = inShard ? Command.SSUBSCRIBE : Command.SUBSCRIBE;
        this.unsubscribe = inShard ? Command.SUNSUBSCRIBE : Command.UNSUBSCRIBE;
    }

    /** Asks for these locks, and for no others. Each has a command of its own: several may be in several slots. */
    void request(Set<String> wanted) {
        boolean again = retryAt.filter(at -> time.nanoTime() - at >= 0).isPresent();
        if (wanted == served && !again) {
            return;
        }
        retryAt = again ? Optional.empty() : retryAt;
        for (String lock : wanted) {
            String channel = keys.channel(lock);
            if (lockOfChannel.putIfAbsent(channel, lock) == null) {
                send(subscribe, channel);
            }
        }
        lockOfChannel.entrySet().removeIf(known -> {
            boolean over = !wanted.contains(known.getValue());
            if (over) {
                confirmed.remove(known.getKey());
                send(unsubscribe, known.getKey());
            }
            return over;
        });
        served = wanted;
    }

    private void send(Command command, String channel) {
        connection.sendCommand(new CommandArguments(command).add(channel.getBytes(StandardCharsets.UTF_8)));
    }

    /** Takes what the node has sent; anything else than a message of a channel answers a ping. */
    void understand(Object reply) {
        if (!(reply instanceof List<?> parts
                && parts.size() >= 2
                && parts.get(0) instanceof byte[] kind
                && parts.get(1) instanceof byte[] bytes)) {
            return;
        }
        String channel = new String(bytes, StandardCharsets.UTF_8);
        String lock = lockOfChannel.get(channel);
        if (lock == null) {
            return; // it is not wanted any more
        }
        switch (new String(kind, StandardCharsets.UTF_8)) {
            case "subscribe", "ssubscribe" -> {
                confirmed.add(channel);
                listener.confirmed(lock);
            }
            case "sunsubscribe" -> end(channel, lock);
            case "message", "smessage" -> { // in a shard too it is a message, in Redis 7.0.0
                String message = parts.size() > 2 && parts.get(2) instanceof byte[] text
                        ? new String(text, StandardCharsets.US_ASCII)
                        : "";
                tellIfForced(lock, message);
                listener.released(lock, message);
            }
            default -> {} // it answers a ping
        }
    }

    /** If it answers an earlier request of ours, the lock is wanted again by now: to ask once more does no harm. */
    private void end(String channel, String lock) {
        lockOfChannel.remove(channel);
        confirmed.remove(channel);
        askAgain();
        listener.ended(lock);
    }

    private void askAgain() {
        retryAt = Optional.of(time.nanoTime() + RETRY_NANOS);
    }

    /**
     * Takes an error that the node has answered.
     *
     * @return whether it does not end the connection
     */
    boolean understandError(String error) {
        OptionalInt moved = NodeErrors.movedSlot(error);
        if (moved.isPresent()) {
            endSlot(moved.getAsInt());
            return true;
        }
        if (NodeErrors.isPassing(error)) { // it answers a ping, or one of these
            if (lockOfChannel.keySet().retainAll(confirmed)) {
                askAgain();
            }
            return true;
        }
        return false;
    }

    private void endSlot(int slot) {
        Map.copyOf(lockOfChannel).forEach((channel, lock) -> {
            if (keys.slot(lock) == slot) {
                end(channel, lock);
            }
        });
    }

    /**
     * A forced release is published with its token, any other with the lock's owner, which has more digits and is no
     * number.
     */
    private void tellIfForced(String lock, String message) {
        boolean isToken = !message.isEmpty()
                && message.length() <= MOST_DIGITS
                && message.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        if (isToken) {
            listener.releasedByForce(lock, Long.parseLong(message));
        }
    }
}
