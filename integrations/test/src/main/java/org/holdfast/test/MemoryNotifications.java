// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.ObjLongConsumer;
import java.util.regex.Pattern;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.redis.script.ScriptCodec;

/** What one process receives of what the nodes publish. Listeners run on threads of the test. */
final class MemoryNotifications implements ReleaseNotifications {

    /** The message of a forced release is its token; all other messages are words. */
    private static final Pattern TOKEN = Pattern.compile("\\d{1,19}");

    private final ScriptCodec codec;
    private final Executor threads;
    private final Map<String, Integer> subscriptions = new HashMap<>();
    private final Map<String, String> lockOfChannel = new HashMap<>();
    private Listener released = (name, message) -> {};
    private ObjLongConsumer<String> releasedByForce = (name, token) -> {};

    MemoryNotifications(ScriptCodec codec, Executor threads) {
        this.codec = codec;
        this.threads = threads;
    }

    @Override
    public synchronized void onRelease(Listener listener) {
        released = listener;
    }

    @Override
    public synchronized void onForcedRelease(ObjLongConsumer<String> listener) {
        releasedByForce = listener;
    }

    @Override
    public synchronized void subscribe(String lock) {
        if (subscriptions.merge(lock, 1, Integer::sum) == 1) {
            lockOfChannel.put(codec.keys().channel(lock), lock);
            Listener listener = released;
            threads.execute(() -> listener.released(lock, ""));
        }
    }

    @Override
    public synchronized void unsubscribe(String lock) {
        if (subscriptions.merge(lock, -1, Integer::sum) == 0) {
            subscriptions.remove(lock);
            lockOfChannel.remove(codec.keys().channel(lock));
        }
    }

    @Override
    public synchronized boolean isSubscribed(String lock) {
        return subscriptions.containsKey(lock);
    }

    /** A lock was taken away by force, by a token that is larger than its holders': they need not be subscribed. */
    synchronized void takenAway(String lock) {
        ObjLongConsumer<String> listener = releasedByForce;
        threads.execute(() -> listener.accept(lock, Long.MAX_VALUE));
    }

    /** A node has published a message; returns whether this process is subscribed to its channel. */
    synchronized boolean published(String channel, String message) {
        String lock = lockOfChannel.get(channel);
        if (lock == null) {
            return false;
        }
        Listener listener = released;
        ObjLongConsumer<String> forced = releasedByForce;
        if (TOKEN.matcher(message).matches()) {
            long token = Long.parseLong(message);
            threads.execute(() -> forced.accept(lock, token));
        }
        threads.execute(() -> listener.released(lock, message));
        return true;
    }
}
