// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import redis.clients.jedis.Jedis;

/** Nodes, and several processes as far as these can see: each has a factory and one connection. */
public final class Processes implements AutoCloseable {

    /** A machine that stands still for a second, or is busy with other tests, is not a node that hangs. */
    public static final String NODE_TIMEOUT_MILLIS = "5000";

    private static final Pattern SCRIPT_CALLS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

    public final RedisServers redis;

    /** Of every process. */
    public final Map<String, String> settings;

    private final List<LockConnectionFactory> factories = new ArrayList<>();
    private final List<LockConnection> connections = new ArrayList<>();

    private Processes(RedisServers redis, Map<String, String> settings) {
        this.redis = redis;
        this.settings = new HashMap<>(settings);
        this.settings.putIfAbsent("nodeTimeoutMillis", NODE_TIMEOUT_MILLIS);
        this.settings.put("nodes", redis.uris());
        this.settings.put("guard", "OFF");
    }

    public static Processes start(int nodes, int processes, Map<String, String> settings) {
        Processes all = new Processes(RedisServers.start(nodes, Path.of("target", "redis")), settings);
        for (int process = 0; process < processes; process++) {
            all.add(Holdfast.connect(all.settings));
        }
        return all;
    }

    private void add(LockConnectionFactory factory) {
        factories.add(factory);
        connections.add(factory.getConnection());
    }

    public LockConnectionFactory factory(int process) {
        return factories.get(process);
    }

    public LockConnection connection(int process) {
        return connections.get(process);
    }

    /** Asks as a holder of its own, without waiting. */
    public Optional<Lease> tryAcquire(int process, LockRequest request) throws Exception {
        return onAnotherThread(() -> connections.get(process).tryAcquire(request.waitTimeout(Duration.ZERO)));
    }

    /**
     * Attempts once. A release waits for a quorum only, so what is left of several leases may be at different nodes for
     * a moment: that a lock is free again has to be waited for.
     */
    public boolean isFree(int process, LockRequest request) throws Exception {
        Optional<Lease> lease = tryAcquire(process, request.detached());
        lease.ifPresent(Lease::release);
        return lease.isPresent();
    }

    /** Asks as a holder of its own, and waits on a thread of its own. */
    public FutureTask<Lease> acquire(int process, LockRequest request) {
        return start(() -> connections.get(process).acquire(request.waitTimeout(ofSeconds(30))));
    }

    public static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(task, "asks for a lock").start();
        return task;
    }

    public static <T> T onAnotherThread(Callable<T> work) throws Exception {
        try {
            return start(work).get(40, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    public <T> T ask(int node, Function<Jedis, T> question) {
        try (Jedis jedis = new Jedis("127.0.0.1", redis.get(node).port(), 10_000)) {
            return question.apply(jedis);
        }
    }

    /** Waits until so many tickets for a lock are on every node. */
    public void awaitTickets(String lock, int count) {
        for (int node = 0; node < redis.all().size(); node++) {
            int asked = node;
            await().until(() -> ask(asked, jedis -> jedis.zcard("holdfast:{" + lock + "}:tickets")) == count);
        }
    }

    /** Waits until every node has a subscriber for the releases of a lock. */
    public void awaitListening(String lock) {
        for (int node = 0; node < redis.all().size(); node++) {
            int asked = node;
            await().until(() -> !ask(asked, jedis -> jedis.pubsubNumSub("holdfast:{" + lock + "}:released"))
                    .containsValue(0L));
        }
    }

    /** How many scripts a node was asked to run. */
    public int scriptCalls(int node) {
        Matcher calls = SCRIPT_CALLS.matcher(ask(node, jedis -> jedis.info("commandstats")));
        int sum = 0;
        while (calls.find()) {
            sum += Integer.parseInt(calls.group(1));
        }
        return sum;
    }

    @Override
    public void close() {
        factories.forEach(LockConnectionFactory::close);
        redis.close();
    }
}
