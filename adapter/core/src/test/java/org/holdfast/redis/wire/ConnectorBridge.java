// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.holdfast.protocol.env.Time;

/** Opens the room's door a little for tests: a connector that asks a name server of the test. */
public final class ConnectorBridge {

    private ConnectorBridge() {}

    /** What asks the name server, for as long as that takes. */
    @FunctionalInterface
    public interface NameServer {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** @param lookups gives a thread for each lookup */
    public static NodeConnector connector(
            NameServer names, Duration nodeTimeout, Executor lookups, Executor threads, Time time) {
        return new NodeConnector(
                new HostResolver(names::resolve, lookups, time),
                ConnectionSecurity.DEFAULT,
                nodeTimeout,
                threads,
                time);
    }
}
