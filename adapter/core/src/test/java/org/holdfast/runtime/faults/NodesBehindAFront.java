// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import java.nio.file.Path;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Three real nodes, for clients that reach some of them through a front which lies. */
abstract class NodesBehindAFront {

    static RedisServers all;
    static RedisServer redis;

    @BeforeAll
    static void start() {
        all = RedisServers.start(3, Path.of("target", "redis"));
        redis = all.get(0);
    }

    @AfterAll
    static void stop() {
        all.close();
    }
}
