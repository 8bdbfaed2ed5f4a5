// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.holdfast.CheckReport;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.voter.VoterConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One look at every node, for {@link org.holdfast.LockConnectionFactory#check()}: connects to it as for locks, and has
 * it run a script that only reads.
 */
final class NodeCheck {

    /** Nothing is taken below this name: a script needs one. */
    private static final LockRequest READ = LockRequest.of("check");

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Duration longestQuarantine;

    /** @param longestQuarantine how long a node that has become the voter is in quarantine */
    NodeCheck(AskedNodes nodes, VoterConnector connector, Duration longestQuarantine) {
        this.nodes = nodes;
        this.connector = connector;
        this.longestQuarantine = longestQuarantine;
    }

    /**
     * Looks at the nodes.
     *
     * @param connections new ones, which connect to the nodes that the look has admitted
     * @param wallMicros the wall clock of this machine
     * @param maxSkewMicros by how much it may differ from those of a majority
     */
    CheckReport run(NodeConnections connections, long wallMicros, long maxSkewMicros) {
        Map<Integer, String> failures = new TreeMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            connect(node, failures);
        }
        connections.prepare();
        read(connections, failures);
        List<CheckReport.Node> found = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            found.add(report(node, failures.get(node)));
        }
        boolean skewed = connections.isClockSkewed(wallMicros, maxSkewMicros);
        return new CheckReport(
                found,
                skewed
                        ? "the wall clock of this machine differs from those of a majority of the nodes by more than "
                                + maxSkewMicros / 1_000 + " ms: set it right"
                        : "");
    }

    /** The health of the node says what was wrong, unless this process is. */
    private void connect(int node, Map<Integer, String> failures) {
        try {
            nodes.connect(node, connector.deadline()).abandon();
        } catch (JedisException e) {
            failures.put(
                    node,
                    nodes.health(node).isAsked()
                            ? Failures.describe(e)
                            : nodes.health(node).reason());
        }
    }

    private void read(NodeConnections connections, Map<Integer, String> failures) {
        Round round = connections.send(new Command.Inspect(LockShape.targets(READ)), NodeSet.first(nodes.size()));
        long deadline = connector.deadline();
        NodeSet unheard = NodeSet.first(nodes.size());
        Answer answer;
        while ((answer = round.next(deadline)) != null) {
            unheard = unheard.without(NodeSet.of(answer.node()));
            String failure = describe(answer.reply());
            if (!failure.isEmpty()) {
                failures.putIfAbsent(answer.node(), failure);
            }
        }
        round.leave(late -> {});
        for (int node = 0; node < nodes.size(); node++) {
            if (unheard.contains(node)) {
                failures.putIfAbsent(node, "no answer in time");
            }
        }
    }

    private static String describe(Reply reply) {
        if (reply instanceof Reply.NoAnswer lost) {
            return lost.reason();
        } else if (reply instanceof Reply.NotSent unsent) {
            return unsent.reason();
        }
        return reply instanceof Reply.Refused refused ? refused.reason() : "";
    }

    private CheckReport.Node report(int node, @Nullable String failure) {
        String address = nodes.address(node).toString();
        if (failure != null && nodes.health(node).isSettling()) {
            return new CheckReport.Node(
                    address,
                    CheckReport.State.QUARANTINED,
                    failure,
                    nodes.health(node).settling().plus(longestQuarantine));
        }
        if (failure != null) {
            return new CheckReport.Node(address, CheckReport.State.UNUSABLE, failure, Duration.ZERO);
        }
        Duration quarantine = nodes.health(node).quarantine();
        return quarantine.isZero()
                ? new CheckReport.Node(address, CheckReport.State.VOTES, "", quarantine)
                : new CheckReport.Node(
                        address,
                        CheckReport.State.QUARANTINED,
                        nodes.health(node).reason(),
                        quarantine);
    }
}
