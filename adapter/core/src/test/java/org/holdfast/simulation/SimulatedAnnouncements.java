// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.holdfast.protocol.Announcements;
import org.holdfast.redis.ScriptBridge;

/** What one client hears of releases: late, and not all of it; it believes that it hears everything. */
final class SimulatedAnnouncements implements Announcements {

    private final Network network;
    private final View view;
    private final Map<String, Integer> listening = new HashMap<>();
    private final Map<String, String> byChannel = new HashMap<>();
    private Consumer<String> listener;

    SimulatedAnnouncements(Network network, View view) {
        this.network = network;
        this.view = view;
        network.announceTo(this);
    }

    @Override
    public void tell(Consumer<String> told) {
        listener = told;
    }

    @Override
    public void listen(String lock) {
        if (listening.merge(lock, 1, Integer::sum) == 1) {
            network.later(() -> network.later(() -> confirm(lock)));
        }
    }

    private void confirm(String lock) {
        if (listening.containsKey(lock)) {
            byChannel.put(ScriptBridge.channel(SimulatedNode.PREFIX, lock), lock);
            listener.accept(lock);
        }
    }

    @Override
    public void ignore(String lock) {
        if (listening.merge(lock, -1, Integer::sum) == 0) {
            listening.remove(lock);
            byChannel.remove(ScriptBridge.channel(SimulatedNode.PREFIX, lock));
        }
    }

    @Override
    public boolean isHeard(String lock) {
        return byChannel.containsKey(ScriptBridge.channel(SimulatedNode.PREFIX, lock));
    }

    /** A node has published on a channel; returns whether it believes that we listen. */
    boolean published(int node, String channel) {
        String lock = byChannel.get(channel);
        if (lock != null && !network.isLost(node, view)) {
            network.later(() -> {
                if (isHeard(lock)) {
                    listener.accept(lock);
                }
            });
        }
        return lock != null;
    }
}
