// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;
import org.holdfast.testkit.RedisCluster;
import org.holdfast.testkit.RedisServer;

/** Callers of two users of a cluster, each of whom is let into some of the nodes: so they are on two sides of a cut. */
final class TwoSides {

    private static final Duration FIRST_USE = ofSeconds(25);

    private TwoSides() {}

    /**
     * Starts callers of both users, each of whom may enter all nodes.
     *
     * @param memory the longest TTL, and so the quarantine
     */
    static Contenders contend(MovingVoters voters, RedisCluster cluster, Duration memory) throws Exception {
        unite(cluster);
        Contenders contenders = voters.opened(new Contenders(ofSeconds(2)));
        for (int i = 0; i < 6; i++) {
            contenders.add(
                    MovingVoters.settings(cluster.uri(i % 2 == 0 ? "left:left@" : "right:right@"), memory),
                    i < 3 ? ofMillis(100) : ofSeconds(3));
        }
        contenders.untilTaken(5, FIRST_USE);
        return contenders;
    }

    /** Lets both users enter all nodes. */
    static void unite(RedisCluster cluster) throws Exception {
        for (RedisServer server : cluster.servers()) {
            server.command("ACL SETUSER left on >left ~* &* +@all");
            server.command("ACL SETUSER right on >right ~* &* +@all");
        }
    }

    /** Lets one user enter no more than these nodes, and the other one no more than those. */
    static void divide(List<RedisServer> left, List<RedisServer> right) throws Exception {
        for (RedisServer server : right) {
            server.command("ACL DELUSER left");
        }
        for (RedisServer server : left) {
            server.command("ACL DELUSER right");
        }
    }
}
