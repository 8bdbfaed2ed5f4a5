// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;

/** The connections of one reader thread, one to each node. Used by that thread alone. */
final class SubscriberConnections {

    /** How often connections are served, at the least. */
    private static final long TURN_MILLIS = 500;

    private final Selector selector;
    private final SubscriberConnection[] all;

    /** Makes the connection to a node, which is opened when it is served. */
    interface Maker {
        SubscriberConnection make(int node);
    }

    SubscriberConnections(Selector selector, int nodes, Maker maker) {
        this.selector = selector;
        this.all = new SubscriberConnection[nodes];
        for (int node = 0; node < nodes; node++) {
            all[node] = maker.make(node);
        }
    }

    /** Waits for what the nodes report, for half a second at the most, and takes it. */
    void serve(Set<String> wanted) throws IOException {
        boolean more = false;
        for (SubscriberConnection each : all) {
            each.serve(wanted);
            if (each.hasMore()) {
                each.readWhatHasCome();
                more |= each.hasMore();
            }
        }
        if (more) {
            selector.selectNow();
        } else {
            selector.select(TURN_MILLIS);
        }
        Thread.interrupted(); // meant for the work before, or for work that does not end without waiters
        for (SelectionKey key : selector.selectedKeys()) {
            if (!key.channel().isOpen()) { // its close has left it, as without memory
                key.cancel();
            } else if (key.isValid()) {
                all[(Integer) key.attachment()].readWhatHasCome();
            }
        }
        selector.selectedKeys().clear();
    }

    void close() {
        for (SubscriberConnection each : all) {
            each.close();
        }
    }

    /** Closes each, though others fail. */
    void abandon() {
        for (SubscriberConnection each : all) {
            try {
                each.close();
            } catch (RuntimeException | Error e) {
                // as what failed before, which is in the log
            }
        }
    }
}
