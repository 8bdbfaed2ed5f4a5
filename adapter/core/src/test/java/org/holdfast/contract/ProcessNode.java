// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/** A redis-server process of this machine. */
final class ProcessNode implements Node {

    /** A loopback address cannot be cut off. */
    static final Set<Fault> FAULTS = EnumSet.of(Fault.KILLED, Fault.FROZEN);

    private final RedisServer server;

    private ProcessNode(RedisServer server) {
        this.server = server;
    }

    static List<ProcessNode> start(int count) {
        return RedisServers.start(count).all().stream().map(ProcessNode::new).toList();
    }

    @Override
    public String uri() {
        return server.uri();
    }

    @Override
    public void suffer(Fault fault) {
        switch (fault) {
            case KILLED -> server.kill();
            case FROZEN -> server.freeze();
            default -> throw new IllegalArgumentException("a process cannot suffer " + fault);
        }
    }

    @Override
    public void recover() {
        if (server.isAlive()) {
            server.thaw();
        } else {
            server.start();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
