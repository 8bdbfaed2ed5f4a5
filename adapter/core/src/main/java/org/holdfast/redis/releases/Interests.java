// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.NodeSet;

/**
 * The locks that callers of this process wait for, and which nodes have confirmed that they report their releases.
 *
 * <p>Guarded by the lock of {@link Subscriber}: each method is called with it.
 */
final class Interests {

    /** How long a subscription outlives the last waiter of its lock: another one may come. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int quorum;
    private final Map<String, Interest> byName = new HashMap<>();

    /** Whether the locks are others than those that {@link #wanted} returned last. */
    private boolean changed;

    /** @param nodes how many nodes there are */
    Interests(int nodes) {
        this.quorum = nodes / 2 + 1;
    }

    /** How many callers wait for a lock, and which nodes have confirmed to report it. */
    private static final class Interest {
        private int waiters;
        private long leftAt;
        private NodeSet heard = NodeSet.NONE;

        /** Every holder has a quorum, which shares a node with this one. */
        private boolean isHeard(int quorum) {
            return heard.size() >= quorum;
        }
    }

    /** A caller waits for a lock from now on. */
    void add(String name) {
        Interest known = byName.get(name);
        if (known == null) {
            begin(name);
        } else {
            known.waiters++;
        }
    }

    private void begin(String name) {
        Interest fresh = new Interest();
        fresh.waiters = 1;
        changed = true;
        try {
            byName.put(name, fresh);
        } catch (OutOfMemoryError e) { // for more room, when it was in already
            byName.remove(name);
            throw e;
        }
    }

    /**
     * A caller no longer waits for a lock.
     *
     * @param served whether a thread serves the subscriptions, which lets this one linger
     */
    void remove(String name, long now, boolean served) {
        Interest known = Objects.requireNonNull(byName.get(name), name);
        known.waiters--;
        known.leftAt = now;
        if (!served && known.waiters == 0) {
            byName.remove(name);
        }
    }

    /** Returns whether enough nodes report the releases of a lock. */
    boolean isHeard(String name) {
        Interest known = byName.get(name);
        return known != null && known.isHeard(quorum);
    }

    /** A node reports the releases of a lock from now on; returns whether enough nodes do so just now. */
    boolean confirmed(int node, String name) {
        Interest known = byName.get(name);
        if (known == null) {
            return false;
        }
        boolean before = known.isHeard(quorum);
        known.heard = known.heard.with(node);
        return !before && known.isHeard(quorum);
    }

    /** A node does not report the releases of a lock any more; returns whether too few nodes do so just now. */
    boolean ended(int node, String name) {
        Interest known = byName.get(name);
        if (known == null) {
            return false;
        }
        boolean before = known.isHeard(quorum);
        known.heard = known.heard.without(NodeSet.of(node));
        return before && !known.isHeard(quorum);
    }

    /** A node reports nothing any more; returns the locks whose releases are reported by too few nodes just now. */
    List<String> disconnected(int node) {
        return byName.keySet().stream().filter(name -> ended(node, name)).toList();
    }

    /** Forgets the locks that no caller has waited for for long. */
    void expire(long now) {
        changed |= byName.values().removeIf(i -> i.waiters == 0 && now - i.leftAt > LINGER_NANOS);
    }

    /** Returns the names to listen for, the same set if nothing has changed. */
    Set<String> wanted(Set<String> before) {
        Set<String> wanted = changed ? new HashSet<>(byName.keySet()) : before;
        changed = false;
        return wanted;
    }

    boolean haveChanged() {
        return changed;
    }

    /** What was subscribed to is lost: has {@link #wanted} return all names again. Needs no memory. */
    void unheard() {
        changed = true;
        byName.forEach((name, known) -> known.heard = NodeSet.NONE);
    }
}
