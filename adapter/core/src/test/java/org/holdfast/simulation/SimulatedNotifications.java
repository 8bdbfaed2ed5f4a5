// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.Map;
import org.holdfast.protocol.queue.ReleaseNotifications;
import org.holdfast.redis.script.ScriptBridge;

/** The releases that one client receives: late, and not all of them; it relies on receiving all. */
final class SimulatedNotifications implements ReleaseNotifications {

    private final Network network;
    private final View view;
    private final Map<String, Integer> listening = new HashMap<>();
    private final Map<String, String> byChannel = new HashMap<>();
    private Listener listener;

    SimulatedNotifications(Network network, View view) {
        this.network = network;
        this.view = view;
        network.announceTo(this);
    }

    @Override
    public void onRelease(Listener told) {
        listener = told;
    }

    @Override
    public void subscribe(String lock) {
        if (listening.merge(lock, 1, Integer::sum) == 1) {
            network.later(() -> network.later(() -> confirm(lock)));
        }
    }

    private void confirm(String lock) {
        if (listening.containsKey(lock)) {
            byChannel.put(ScriptBridge.channel(SimulatedNode.PREFIX, lock), lock);
            listener.released(lock, "");
        }
    }

    @Override
    public void unsubscribe(String lock) {
        if (listening.merge(lock, -1, Integer::sum) == 0) {
            listening.remove(lock);
            byChannel.remove(ScriptBridge.channel(SimulatedNode.PREFIX, lock));
        }
    }

    @Override
    public boolean isSubscribed(String lock) {
        return byChannel.containsKey(ScriptBridge.channel(SimulatedNode.PREFIX, lock));
    }

    /** A node has published on a channel; returns whether the client is subscribed there. */
    boolean published(int node, String channel, String message) {
        String lock = byChannel.get(channel);
        if (lock != null && !network.isLost(node, view)) {
            network.later(() -> {
                if (isSubscribed(lock)) {
                    listener.released(lock, message);
                }
            });
        }
        return lock != null;
    }
}
