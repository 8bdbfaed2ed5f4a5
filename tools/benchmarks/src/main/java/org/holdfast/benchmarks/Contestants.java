// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Release;
import org.holdfast.testkit.RedisServer;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The implementations that are measured. */
final class Contestants {

    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private Contestants() {}

    static List<Contestant> on(List<RedisServer> nodes) throws Exception {
        Contestant ours = holdfast(nodes);
        ours.pair(); // from now on it keeps the heartbeat that our scripts look at
        List<Contestant> all = new ArrayList<>();
        all.add(Floor.ofCommands(nodes));
        all.add(Floor.ofScripts(nodes));
        all.add(ours);
        all.add(holdfast("Holdfast, release = ASYNC", nodes, Release.ASYNC));
        if (nodes.size() == 1) {
            all.add(jedis(nodes.get(0)));
        }
        all.add(redisson(nodes));
        return all;
    }

    static Contestant holdfast(List<RedisServer> nodes) {
        return holdfast("Holdfast", nodes);
    }

    static Contestant holdfast(String name, List<RedisServer> nodes) {
        return holdfast(name, nodes, Release.CONFIRMED);
    }

    private static Contestant holdfast(String name, List<RedisServer> nodes, Release release) {
        String uris = nodes.stream().map(RedisServer::uri).collect(Collectors.joining(","));
        LockConnectionFactory locks =
                Holdfast.connect(Map.of("nodes", uris, "guard", "DEVELOPMENT", "release", release.name()));
        LockConnection connection = locks.getConnection();
        String lock = "holdfast-" + release; // of its own: processes that share one let each other go first
        return contestant(name, () -> connection.acquire(lock).release(), locks);
    }

    private static Contestant jedis(RedisServer node) {
        Jedis jedis = new Jedis("127.0.0.1", node.port());
        String sha = jedis.scriptLoad(COMPARE_AND_DELETE);
        return contestant(
                "Jedis: SET NX PX + script",
                () -> {
                    String owner = UUID.randomUUID().toString();
                    jedis.set("jedis", owner, SetParams.setParams().nx().px(30_000));
                    jedis.evalsha(sha, List.of("jedis"), List.of(owner));
                },
                jedis);
    }

    @SuppressWarnings("deprecation") // its only lock on several independent nodes
    private static Contestant redisson(List<RedisServer> nodes) {
        List<RedissonClient> clients = nodes.stream()
                .map(node -> {
                    Config config = new Config();
                    config.useSingleServer().setAddress(node.uri());
                    return Redisson.create(config);
                })
                .toList();
        RLock[] locks =
                clients.stream().map(client -> client.getLock("redisson")).toArray(RLock[]::new);
        RLock lock = locks.length == 1 ? locks[0] : clients.get(0).getRedLock(locks);
        return contestant(
                locks.length == 1 ? "Redisson RLock" : "Redisson RedLock",
                () -> {
                    lock.lock(30, TimeUnit.SECONDS);
                    lock.unlock();
                },
                () -> clients.forEach(RedissonClient::shutdown));
    }

    private interface Step {
        void run() throws Exception;
    }

    private static Contestant contestant(String name, Step pair, AutoCloseable resource) {
        return new Contestant() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void pair() throws Exception {
                pair.run();
            }

            @Override
            public void close() throws Exception {
                resource.close();
            }
        };
    }

    /** Returns the value below which so many of the values are. */
    static double percentile(long[] nanos, double part) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, Math.round(part * sorted.length))] / 1_000.0;
    }
}
