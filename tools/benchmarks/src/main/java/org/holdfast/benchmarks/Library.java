// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** What is measured: ours as it is used in several ways, other libraries, and the least that can be done. */
enum Library {

    /** A lock that is renewed. */
    RENEWED("Holdfast") {
        @Override
        LockClient connect(List<String> nodes) {
            return ours(nodes, request -> request);
        }
    },

    /** A lock with a TTL of 30 s that is not renewed. */
    FIXED("Holdfast, not renewed") {
        @Override
        LockClient connect(List<String> nodes) {
            return ours(nodes, request -> request.fixedTtl(Duration.ofSeconds(30)));
        }
    },

    FAIR("Holdfast, fair") {
        @Override
        LockClient connect(List<String> nodes) {
            return ours(nodes, request -> request.fair(true));
        }
    },

    /** Without a thread that waits: the caller of the benchmark waits for the future. */
    ASYNC("Holdfast, acquireAsync") {
        @Override
        LockClient connect(List<String> nodes) {
            LockConnectionFactory locks = Measured.connect(String.join(",", nodes));
            LockConnection connection = locks.getConnection();
            return client(
                    lock -> taken(connection.acquireAsync(LockRequest.of(lock)).get()), locks);
        }
    },

    /** A script to take a lock and a script to release it, and one channel for its message: one node only. */
    FLOOR("floor: two scripts and a message") {
        @Override
        LockClient connect(List<String> nodes) {
            PubSubFloor floor = new PubSubFloor(nodes.get(0));
            return client(
                    lock -> {
                        String owner = floor.newOwner();
                        return new LockClient.Taken(floor.take(owner), () -> floor.release(owner));
                    },
                    floor);
        }
    },

    /** Neither waits nor renews, and has no token; one node after the other. */
    JEDIS("Jedis: SET NX PX + script") {
        @Override
        LockClient connect(List<String> nodes) {
            ThreadLocal<List<Jedis>> connections = ThreadLocal.withInitial(() ->
                    nodes.stream().map(node -> new Jedis(URI.create(node))).toList());
            connections.get().forEach(jedis -> jedis.scriptLoad(COMPARE_AND_DELETE));
            return client(
                    lock -> {
                        String owner = UUID.randomUUID().toString();
                        for (Jedis jedis : connections.get()) {
                            jedis.set(lock, owner, SetParams.setParams().nx().px(30_000));
                        }
                        return LockClient.Taken.now(() -> {
                            for (Jedis jedis : connections.get()) {
                                jedis.evalsha(COMPARE_AND_DELETE_SHA, List.of(lock), List.of(owner));
                            }
                        });
                    },
                    connections::remove);
        }
    },

    REDISSON("Redisson RLock") {
        @Override
        LockClient connect(List<String> nodes) {
            return redisson(nodes, RedissonClient::getLock);
        }
    },

    REDISSON_FENCED("Redisson RFencedLock") {
        @Override
        LockClient connect(List<String> nodes) {
            RedissonClient redisson = redisson(nodes.get(0));
            return client(
                    name -> {
                        RFencedLock lock = redisson.getFencedLock(name);
                        return new LockClient.Taken(lock.lockAndGetToken(), lock::unlock);
                    },
                    redisson::shutdown);
        }
    },

    REDISSON_FAIR("Redisson fair lock") {
        @Override
        LockClient connect(List<String> nodes) {
            return redisson(nodes, RedissonClient::getFairLock);
        }
    },

    /** Its only lock on several independent nodes; deprecated by its authors. */
    REDISSON_REDLOCK("Redisson RedLock") {
        @Override
        @SuppressWarnings("deprecation")
        LockClient connect(List<String> nodes) {
            List<RedissonClient> clients = new ArrayList<>();
            nodes.forEach(node -> clients.add(redisson(node)));
            return client(
                    name -> held(clients.get(0)
                            .getRedLock(clients.stream()
                                    .map(each -> each.getLock(name))
                                    .toArray(RLock[]::new))),
                    () -> clients.forEach(RedissonClient::shutdown));
        }
    },

    /** By push; not renewed. */
    SPRING("Spring Integration RedisLockRegistry") {
        @Override
        LockClient connect(List<String> nodes) {
            LettuceConnectionFactory connections = lettuce(nodes.get(0));
            RedisLockRegistry registry = new RedisLockRegistry(connections, "spring", 30_000);
            registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
            return client(name -> held(registry.obtain(name)), () -> {
                registry.destroy();
                connections.destroy();
            });
        }
    },

    /** Does not wait. */
    SHEDLOCK("ShedLock") {
        @Override
        LockClient connect(List<String> nodes) {
            LettuceConnectionFactory connections = lettuce(nodes.get(0));
            RedisLockProvider provider = new RedisLockProvider(connections, "benchmark");
            return client(
                    name -> {
                        LockConfiguration asked =
                                new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO);
                        SimpleLock lock = provider.lock(asked).orElseThrow();
                        return LockClient.Taken.now(lock::unlock);
                    },
                    connections::destroy);
        }
    };

    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private static final String COMPARE_AND_DELETE_SHA = Sha.of(COMPARE_AND_DELETE);

    private final String title;

    Library(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** @param nodes their addresses; libraries for one node use the first one */
    abstract LockClient connect(List<String> nodes);

    static Library of(String kind) {
        return valueOf(kind.toUpperCase(Locale.ROOT));
    }

    private interface Taking {
        LockClient.Taken take(String lock) throws Exception;
    }

    private static LockClient client(Taking taking, AutoCloseable resource) {
        return new LockClient() {
            @Override
            public Taken take(String lock) throws Exception {
                return taking.take(lock);
            }

            @Override
            public void close() throws Exception {
                resource.close();
            }
        };
    }

    private static LockClient ours(List<String> nodes, UnaryOperator<LockRequest> asked) {
        LockConnectionFactory locks = Measured.connect(String.join(",", nodes));
        LockConnection connection = locks.getConnection();
        return client(lock -> taken(connection.acquire(asked.apply(LockRequest.of(lock)))), locks);
    }

    private static LockClient.Taken taken(Lease lease) {
        return new LockClient.Taken(lease.token(), lease::release);
    }

    private static LockClient.Taken held(Lock lock) {
        lock.lock();
        return LockClient.Taken.now(lock::unlock);
    }

    private static LockClient redisson(List<String> nodes, BiFunction<RedissonClient, String, RLock> lock) {
        RedissonClient redisson = redisson(nodes.get(0));
        return client(name -> held(lock.apply(redisson, name)), redisson::shutdown);
    }

    private static RedissonClient redisson(String node) {
        Config config = new Config();
        config.useSingleServer().setAddress(node);
        return Redisson.create(config);
    }

    private static LettuceConnectionFactory lettuce(String node) {
        URI uri = URI.create(node);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
