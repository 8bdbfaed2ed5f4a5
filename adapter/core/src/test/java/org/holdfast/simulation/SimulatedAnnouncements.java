// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.holdfast.protocol.Announcements;

/** What one client hears of releases: late, and not all of it; it believes that it hears everything. */
final class SimulatedAnnouncements implements Announcements {

    private final Network network;
    private final Network.View view;
    private final Map<String, Integer> listening = new HashMap<>();
    private final Set<String> confirmed = new HashSet<>();
    private Consumer<String> listener;

    SimulatedAnnouncements(Network network, Network.View view) {
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
            confirmed.add(lock);
            listener.accept(lock);
        }
    }

    @Override
    public void ignore(String lock) {
        if (listening.merge(lock, -1, Integer::sum) == 0) {
            listening.remove(lock);
            confirmed.remove(lock);
        }
    }

    @Override
    public boolean isHeard(String lock) {
        return confirmed.contains(lock);
    }

    /** A node has published a release. */
    void published(int node, String lock) {
        if (isHeard(lock) && !network.isLost(node, view)) {
            network.later(() -> {
                if (isHeard(lock)) {
                    listener.accept(lock);
                }
            });
        }
    }
}
