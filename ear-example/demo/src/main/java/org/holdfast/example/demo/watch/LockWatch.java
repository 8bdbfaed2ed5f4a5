// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.util.List;
import java.util.Optional;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoState.Holder;

/** Asks the nodes for the holder of a lock. */
public final class LockWatch {

    private final LockConnectionFactory locks;
    private final String lock;
    private final List<ShopServer> servers;
    private final int quorum;
    private final long ttlMillis;
    private final LockHistory history;
    private volatile Holder holder;

    public LockWatch(
            LockConnectionFactory locks,
            String lock,
            List<ShopServer> servers,
            int quorum,
            long ttlMillis,
            LockHistory history) {
        this.locks = locks;
        this.lock = lock;
        this.servers = servers;
        this.quorum = quorum;
        this.ttlMillis = ttlMillis;
        this.history = history;
    }

    /** Asks now. */
    public void look() {
        long asked = System.nanoTime();
        try {
            holder = ask().orElse(null);
            if (holder == null) {
                history.free(asked);
            }
        } catch (QuorumUnavailableException e) {
            holder = null; // unknown: the nodes say why
        }
    }

    /**
     * Returns the holder of the lock, by a majority of the nodes; the others are about to get it, or have just released
     * it.
     *
     * @throws QuorumUnavailableException if too few nodes answer
     */
    public Optional<Holder> ask() {
        return locks.holders(lock).stream()
                .filter(found -> found.nodeCount() >= quorum)
                .findFirst()
                .map(this::describe);
    }

    private Holder describe(LockHolder found) {
        Integer server = servers.stream()
                .filter(each -> each.pid() == found.pid())
                .map(ShopServer::index)
                .findFirst()
                .orElse(null);
        return new Holder(server, found.token(), found.remaining().toMillis(), ttlMillis, found.nodeCount());
    }

    /** Returns the holder that was found last; null if there was none. */
    public Holder holder() {
        return holder;
    }
}
