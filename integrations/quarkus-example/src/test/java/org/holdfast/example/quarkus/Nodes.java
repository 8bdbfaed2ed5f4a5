// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;
import org.holdfast.testkit.RedisServers;

/** Three redis-server processes, which the application is started with. */
public final class Nodes implements QuarkusTestResourceLifecycleManager {

    private RedisServers servers;

    @Override
    public Map<String, String> start() {
        servers = RedisServers.start(3);
        return Map.of("holdfast.nodes", servers.uris(), "holdfast.waitTimeoutMillis", "5000", "holdfast.guard", "OFF");
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(servers, new TestInjector.MatchesType(RedisServers.class));
    }

    @Override
    public void stop() {
        servers.close();
    }
}
