// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.sharded;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.releases.ReleaseSubscriber;

/** Receives releases from the nodes that vote on each name. */
final class ShardedSubscriber implements ReleaseSubscriber {

    private final ShardedNodes nodes;
    private final Executor threads;
    private final Lock lock = new SureLock();
    private final Map<GroupedNodes, ReleaseSubscriber> subscribers = new HashMap<>();
    private final Map<String, Subscription> subscriptions = new HashMap<>();
    private Listener listener = (name, message) -> {};
    private ObjLongConsumer<String> forced = (name, token) -> {};
    private boolean stopped;

    /** Where a name is listened for, and how often that was asked for. */
    private record Subscription(ReleaseSubscriber at, int times) {}

    ShardedSubscriber(ShardedNodes nodes, Executor threads) {
        this.nodes = nodes;
        this.threads = threads;
    }

    @Override
    public void onRelease(Listener told) {
        listener = told;
    }

    @Override
    public void onForcedRelease(ObjLongConsumer<String> told) {
        forced = told;
    }

    private ReleaseSubscriber subscriber(GroupedNodes group) {
        return subscribers.computeIfAbsent(group, it -> {
            ReleaseSubscriber fresh = it.subscriber(threads);
            fresh.onRelease((name, message) -> listener.released(name, message));
            fresh.onForcedRelease((name, token) -> forced.accept(name, token));
            return fresh;
        });
    }

    @Override
    public void subscribe(String name) {
        GroupedNodes group = nodes.group(name);
        lock.lock();
        try {
            if (stopped) {
                return;
            }
            Subscription known = subscriptions.get(name);
            if (group.isClosed()) { // it has ended in this moment
                group = nodes.group(name);
            }
            ReleaseSubscriber at = known == null ? subscriber(group) : known.at();
            at.subscribe(name);
            subscriptions.put(name, new Subscription(at, known == null ? 1 : known.times() + 1));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void unsubscribe(String name) {
        lock.lock();
        try {
            Subscription known = subscriptions.get(name);
            if (known == null) {
                return;
            }
            known.at().unsubscribe(name);
            if (known.times() == 1) {
                subscriptions.remove(name);
            } else {
                subscriptions.put(name, new Subscription(known.at(), known.times() - 1));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isSubscribed(String name) {
        lock.lock();
        try {
            Subscription known = subscriptions.get(name);
            return known != null && known.at().isSubscribed(name);
        } finally {
            lock.unlock();
        }
    }

    /** Listens where names are by now. */
    void rearrange() {
        List<String> names;
        lock.lock();
        try {
            names = List.copyOf(subscriptions.keySet());
        } finally {
            lock.unlock();
        }
        names.forEach(this::rearrange);
    }

    private void rearrange(String name) {
        GroupedNodes group = nodes.group(name);
        lock.lock();
        try {
            Subscription known = subscriptions.get(name);
            if (known == null || stopped || known.at() == subscriber(group)) {
                return;
            }
            ReleaseSubscriber at = subscriber(group);
            for (int i = 0; i < known.times(); i++) {
                at.subscribe(name);
                known.at().unsubscribe(name);
            }
            subscriptions.put(name, new Subscription(at, known.times()));
        } finally {
            lock.unlock();
        }
    }

    /** Its group has no names any more. */
    void end(GroupedNodes group) {
        ReleaseSubscriber gone;
        lock.lock();
        try {
            gone = subscribers.remove(group);
        } finally {
            lock.unlock();
        }
        if (gone != null) {
            gone.stop();
        }
    }

    private List<ReleaseSubscriber> all() {
        lock.lock();
        try {
            stopped = true;
            return List.copyOf(subscribers.values());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop() {
        all().forEach(ReleaseSubscriber::stop);
    }

    @Override
    public void close() {
        stop();
        all().forEach(ReleaseSubscriber::close);
    }
}
