// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.testkit.RedisServer;

/** What nodes report of themselves. */
final class NodeFigures {

    private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");
    private static final Pattern CONNECTIONS = Pattern.compile("connected_clients:([0-9]+)");
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_(?:evalsha|eval):calls=([0-9]+)");

    private NodeFigures() {}

    /** Returns the processor time of all nodes so far, in microseconds. */
    static double processorMicros(List<RedisServer> nodes) {
        return 1e6 * sum(nodes, "INFO cpu", PROCESSOR);
    }

    /** Returns how many connections all nodes have. */
    static long connections(List<RedisServer> nodes) {
        return (long) sum(nodes, "INFO clients", CONNECTIONS) - nodes.size(); // but for the one that asks
    }

    /** Returns how often a script was called on all nodes so far. */
    static long scriptCalls(List<RedisServer> nodes) {
        return (long) sum(nodes, "INFO commandstats", SCRIPTS);
    }

    private static double sum(List<RedisServer> nodes, String command, Pattern figure) {
        double sum = 0;
        for (RedisServer node : nodes) {
            Matcher found = figure.matcher(node.ask(command));
            while (found.find()) {
                sum += Double.parseDouble(found.group(1));
            }
        }
        return sum;
    }
}
