// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * The least that a lock with a token and a message costs on one node: a script to take it, a script to release and
 * publish it, and one connection that listens for all threads of the process. No quorum, no renewal, no hand-off.
 */
final class PubSubFloor implements AutoCloseable {

    private static final String KEY = "floor";
    private static final String TAKE = "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 30000) then"
            + " return redis.call('INCR', KEYS[2]) end return 0";
    private static final String RELEASE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) redis.call('PUBLISH', KEYS[1], '') end";

    private final URI node;
    private final Semaphore released = new Semaphore(0);
    private final ThreadLocal<Jedis> connections;
    private final Jedis listening;
    private final JedisPubSub listener = new JedisPubSub() {
        @Override
        public void onMessage(String channel, String message) {
            if (released.availablePermits() == 0) {
                released.release();
            }
        }
    };

    PubSubFloor(String uri) {
        this.node = URI.create(uri);
        this.connections = ThreadLocal.withInitial(() -> new Jedis(node));
        this.listening = new Jedis(node, 0);
        Thread thread = new Thread(this::listen, "listens");
        thread.setDaemon(true);
        thread.start();
    }

    private void listen() {
        try {
            listening.subscribe(listener, KEY);
        } catch (JedisConnectionException e) {
            // it is closed
        }
    }

    /** Waits for the lock, and returns its token. */
    long take(String owner) throws InterruptedException {
        long token = attempt(owner);
        while (token == 0) {
            released.tryAcquire(100, TimeUnit.MILLISECONDS);
            token = attempt(owner);
        }
        return token;
    }

    private long attempt(String owner) {
        return (Long) connections.get().eval(TAKE, List.of(KEY, KEY + "-token"), List.of(owner));
    }

    void release(String owner) {
        connections.get().eval(RELEASE, List.of(KEY), List.of(owner));
    }

    String newOwner() {
        return UUID.randomUUID().toString();
    }

    @Override
    public void close() {
        listening.close();
    }
}
