// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.holdfast.example.demo.process.Postgres;
import org.holdfast.example.demo.process.RedisNode;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.server.WildFly;
import org.holdfast.testkit.RedisServer;

/** All processes of the demo. What was started is ended by {@link #close}, also when not all of it could be. */
final class Processes implements AutoCloseable {

    private static final int NODES = 5;

    /** Between read and write a shop that is shown has time for another order: without the lock they overlap. */
    private static final String THINK_MILLIS = "5";

    private final List<RedisServer> redis = new ArrayList<>();
    private final List<RedisNode> nodes = new ArrayList<>();
    private final List<ShopServer> servers = new ArrayList<>();
    private Postgres postgres;
    private boolean closed;

    /**
     * Shares its monitor with {@link #close}, which so waits for the end of this and leaves nothing over.
     *
     * @param launched receives the id of each process, before it is waited for: this JVM may be killed at any time
     */
    synchronized void start(DemoOptions options, LongConsumer launched) throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the demo is ending");
        }
        Path directory = Files.createDirectories(options.directory());
        for (int i = 0; i < NODES; i++) {
            RedisServer node = RedisServer.start(directory.resolve("redis"), launched);
            redis.add(node);
            nodes.add(new RedisNode(i, node));
        }
        postgres = Postgres.start(directory.resolve("postgres"), launched);
        for (int i = 0; i < options.servers(); i++) {
            ShopServer server = new ShopServer(i, setup(options, i), launched);
            servers.add(server);
            server.start();
        }
    }

    private WildFly.Setup setup(DemoOptions options, int index) {
        Map<String, String> properties = new HashMap<>(postgres.properties());
        properties.put("holdfast.nodes", uris());
        properties.put("shop.think", THINK_MILLIS);
        return new WildFly.Setup(
                options.server().resolve("wildfly"),
                options.server().resolve("standalone"),
                options.server().resolve("ear").resolve("holdfast-shop.ear"),
                options.directory().resolve("wildfly-" + index),
                options.httpPort() + 1 + index,
                properties,
                postgres.environment());
    }

    /** Returns the addresses of the nodes in the form that Holdfast takes. */
    String uris() {
        return nodes.stream().map(RedisNode::uri).collect(Collectors.joining(","));
    }

    List<RedisNode> nodes() {
        return nodes;
    }

    List<ShopServer> servers() {
        return servers;
    }

    /** Returns the ids of all processes that were started last. */
    List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        nodes.forEach(node -> pids.add(node.pid()));
        servers.forEach(server -> pids.add(server.pid()));
        if (postgres != null) {
            pids.add(postgres.pid());
        }
        return pids;
    }

    Postgres postgres() {
        return postgres;
    }

    /** Servers first: so the database has no sessions left to end. */
    @Override
    public synchronized void close() {
        closed = true;
        servers.forEach(ShopServer::close);
        if (postgres != null) {
            postgres.close();
        }
        redis.forEach(RedisServer::close);
    }
}
