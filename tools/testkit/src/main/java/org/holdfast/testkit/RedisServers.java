// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Several independent redis-server processes. */
public final class RedisServers implements AutoCloseable {

    private final List<RedisServer> servers;

    private RedisServers(List<RedisServer> servers) {
        this.servers = servers;
    }

    /** Starts so many processes that keep their files below {@code target/redis}. */
    public static RedisServers start(int count) {
        return start(count, Path.of("target", "redis"));
    }

    /** Starts so many processes that keep their files below the directory. */
    public static RedisServers start(int count, Path directory) {
        List<RedisServer> started = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                started.add(RedisServer.start(directory));
            }
            return new RedisServers(started);
        } catch (RuntimeException e) {
            started.forEach(RedisServer::close);
            throw e;
        }
    }

    public RedisServer get(int index) {
        return servers.get(index);
    }

    public List<RedisServer> all() {
        return servers;
    }

    /** Returns the addresses in the form that Holdfast takes. */
    public String uris() {
        return servers.stream().map(RedisServer::uri).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
