// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import java.util.List;
import java.util.Set;

/** Opens the room's door a little for the simulation: what callers wait for, without connections. */
public final class InterestsBridge {

    private final Interests interests;

    /** @param nodes how many nodes there are */
    public InterestsBridge(int nodes) {
        this.interests = new Interests(nodes);
    }

    /** A caller waits for a lock from now on. */
    public void add(String lock) {
        interests.add(lock);
    }

    /** A caller no longer waits for a lock, whose subscriptions linger. */
    public void remove(String lock, long now) {
        interests.remove(lock, now, true);
    }

    /** Returns whether enough nodes report the releases of a lock. */
    public boolean isHeard(String lock) {
        return interests.isHeard(lock);
    }

    /** Returns whether enough nodes report the releases of a lock just now, since this one does. */
    public boolean confirmed(int node, String lock) {
        return interests.confirmed(node, lock);
    }

    /** Returns whether too few nodes report the releases of a lock just now, since this one does not any more. */
    public boolean ended(int node, String lock) {
        return interests.ended(node, lock);
    }

    /** Returns the locks whose releases too few nodes report just now, since this one reports nothing any more. */
    public List<String> disconnected(int node) {
        return interests.disconnected(node);
    }

    /** Returns the locks to listen for now. */
    public Set<String> wanted(Set<String> before, long now) {
        interests.expire(now);
        return interests.wanted(before);
    }
}
