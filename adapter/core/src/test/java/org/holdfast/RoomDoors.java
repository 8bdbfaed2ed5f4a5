// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.Map;
import java.util.Set;

/** The doors between the rooms of the adapter: each leads one way. */
final class RoomDoors {

    /** The rooms that each room knows. Those that it does not know include all above it. All know the API. */
    static final Map<String, Set<String>> KNOWS = Map.ofEntries(
            Map.entry(
                    "connector",
                    Set.of(
                            "runtime",
                            "runtime.management",
                            "runtime.scheduling",
                            "redis",
                            "transaction",
                            "protocol.session",
                            "protocol.latch",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "runtime",
                    Set.of(
                            "runtime.management",
                            "runtime.scheduling",
                            "redis.sharded",
                            "redis",
                            "redis.releases",
                            "redis.survey",
                            "redis.health",
                            "redis.script",
                            "redis.voter",
                            "redis.wire",
                            "redis.address",
                            "transaction",
                            "protocol",
                            "protocol.session",
                            "protocol.latch",
                            "protocol.queue",
                            "protocol.lease",
                            "protocol.quorum",
                            "protocol.guard",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "runtime.management",
                    Set.of(
                            "redis",
                            "redis.survey",
                            "protocol",
                            "protocol.admin",
                            "protocol.lease",
                            "protocol.quorum",
                            "protocol.node",
                            "protocol.env")),
            Map.entry("runtime.scheduling", Set.of("protocol.env")),
            Map.entry("transaction", Set.of("protocol.session")),
            Map.entry(
                    "redis",
                    Set.of(
                            "redis.releases",
                            "redis.survey",
                            "redis.health",
                            "redis.script",
                            "redis.voter",
                            "redis.wire",
                            "protocol.queue",
                            "protocol.guard",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "redis.releases",
                    Set.of(
                            "redis.health",
                            "redis.script",
                            "redis.voter",
                            "redis.wire",
                            "protocol.queue",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "redis.survey",
                    Set.of(
                            "redis.health",
                            "redis.script",
                            "redis.voter",
                            "redis.wire",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "redis.sharded",
                    Set.of(
                            "redis",
                            "redis.releases",
                            "redis.survey",
                            "redis.script",
                            "redis.voter",
                            "redis.cluster",
                            "protocol.node",
                            "protocol.queue",
                            "protocol.env")),
            Map.entry(
                    "redis.health",
                    Set.of(
                            "redis.script",
                            "redis.voter",
                            "redis.cluster",
                            "redis.wire",
                            "redis.address",
                            "protocol.guard",
                            "protocol.term",
                            "protocol.node",
                            "protocol.env")),
            Map.entry("redis.script", Set.of("redis.cluster", "protocol.node")),
            Map.entry(
                    "redis.voter",
                    Set.of(
                            "redis.cluster",
                            "redis.wire",
                            "redis.address",
                            "protocol.guard",
                            "protocol.term",
                            "protocol.env")),
            Map.entry("redis.cluster", Set.of("redis.address", "protocol.term", "protocol.env")),
            Map.entry("redis.wire", Set.of("redis.address", "protocol.env")),
            Map.entry("redis.address", Set.of()),
            Map.entry(
                    "protocol",
                    Set.of(
                            "protocol.session",
                            "protocol.admin",
                            "protocol.latch",
                            "protocol.waiting",
                            "protocol.queue",
                            "protocol.lease",
                            "protocol.quorum",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "protocol.admin",
                    Set.of("protocol.waiting", "protocol.lease", "protocol.quorum", "protocol.node", "protocol.env")),
            Map.entry(
                    "protocol.session",
                    Set.of(
                            "protocol.admin",
                            "protocol.waiting",
                            "protocol.lease",
                            "protocol.quorum",
                            "protocol.node",
                            "protocol.env")),
            Map.entry(
                    "protocol.waiting",
                    Set.of("protocol.queue", "protocol.lease", "protocol.quorum", "protocol.node", "protocol.env")),
            Map.entry("protocol.latch", Set.of("protocol.queue", "protocol.quorum", "protocol.node", "protocol.env")),
            Map.entry("protocol.queue", Set.of("protocol.lease", "protocol.quorum", "protocol.node", "protocol.env")),
            Map.entry("protocol.lease", Set.of("protocol.quorum", "protocol.node", "protocol.env")),
            Map.entry("protocol.quorum", Set.of("protocol.node", "protocol.env")),
            Map.entry("protocol.guard", Set.of("protocol.node", "protocol.env")),
            Map.entry("protocol.term", Set.of("protocol.node", "protocol.env")),
            Map.entry("protocol.node", Set.of("protocol.env")),
            Map.entry("protocol.env", Set.of()),
            Map.entry("testkit", Set.of()),
            Map.entry("history", Set.of()),
            Map.entry("memory", Set.of()));

    private RoomDoors() {}
}
