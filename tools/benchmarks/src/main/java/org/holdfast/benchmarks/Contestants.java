// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Release;
import org.holdfast.testkit.RedisServer;

/** The implementations that are measured. */
final class Contestants {

    private Contestants() {}

    static List<Contestant> on(List<RedisServer> nodes) throws Exception {
        Contestant ours = holdfast(nodes);
        ours.pair(); // from now on it keeps the heartbeat that our scripts look at
        List<Contestant> all = new ArrayList<>();
        all.add(Floor.ofFencedScripts(nodes, "fenced"));
        all.add(Floor.ofScripts(nodes));
        all.add(ours);
        all.add(holdfast("Holdfast, release = ASYNC", nodes, Release.ASYNC));
        all.add(of(Library.JEDIS, nodes));
        List<Library> others = nodes.size() == 1
                ? List.of(Library.SPRING, Library.SHEDLOCK, Library.REDISSON, Library.REDISSON_FENCED)
                : List.of(Library.REDISSON_REDLOCK);
        for (Library library : others) {
            all.add(of(library, nodes));
        }
        return all;
    }

    private static Contestant of(Library library, List<RedisServer> nodes) {
        LockClient client = library.connect(nodes.stream().map(RedisServer::uri).toList());
        return contestant(
                library.title(), () -> client.take(library.name()).release().run(), client);
    }

    /** Returns one that does not close the client. */
    static Contestant of(Library library, LockClient client, String lock) {
        return contestant(library.title(), () -> client.take(lock).release().run(), () -> {});
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

    private static Contestant contestant(String name, LockClient.Step pair, AutoCloseable resource) {
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
