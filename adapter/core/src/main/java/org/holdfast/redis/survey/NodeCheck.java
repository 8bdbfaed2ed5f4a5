// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.survey;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.CheckReport;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.Reply;
import org.holdfast.redis.health.AskedNodes;
import org.holdfast.redis.health.NodeRefusedException;
import org.holdfast.redis.script.CallBytes;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ReplyDecoder;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * One look at every node, for {@link org.holdfast.LockOperations#check()}: connects to it as for locks, and has
 * it run a script that only reads, and one that would write.
 *
 * <p>The connections are its own, and a node that does not take one stays asked on those that are open: a probe that
 * fails must not cost a holder its lease.
 */
public final class NodeCheck {

    /** Behind the key of the heartbeat it makes one that nothing writes. */
    private static final String NO_KEY = ":check";

    private final AskedNodes nodes;
    private final VoterConnector connector;
    private final Time time;
    private final Duration longestQuarantine;

    /** @param longestQuarantine how long a node that has become the voter is in quarantine */
    public NodeCheck(AskedNodes nodes, VoterConnector connector, Time time, Duration longestQuarantine) {
        this.nodes = nodes;
        this.connector = connector;
        this.time = time;
        this.longestQuarantine = longestQuarantine;
    }

    /**
     * Looks at the nodes.
     *
     * @param maxSkewMicros by how much the wall clock of this machine may differ from those of a majority
     */
    public CheckReport run(long maxSkewMicros) {
        List<CheckReport.Node> found = new ArrayList<>();
        int far = 0;
        for (int node = 0; node < nodes.size(); node++) {
            try {
                far += Math.abs(visit(node)) > maxSkewMicros ? 1 : 0;
                found.add(admitted(node));
            } catch (NodeRefusedException e) {
                boolean ends = !e.left().isZero();
                CheckReport.State state = ends ? CheckReport.State.QUARANTINED : CheckReport.State.UNUSABLE;
                found.add(report(node, state, Failures.describe(e), quarantineOf(node, e)));
            } catch (JedisException e) {
                found.add(report(node, CheckReport.State.UNUSABLE, connector.describe(node, e), Duration.ZERO));
            }
        }
        return new CheckReport(
                found,
                far > nodes.size() / 2
                        ? "the wall clock of this machine differs from those of a majority of the nodes by more than "
                                + maxSkewMicros / 1_000 + " ms: set it right"
                        : "");
    }

    /** Returns by how much the node's clock is ahead of ours at the least, in microseconds; negative if behind. */
    private long visit(int node) {
        NodeConnection connection = nodes.visit(node, connector.deadline());
        ScriptCodec codec = nodes.codec(node);
        Command read = new Command.Inspect(
                LockShape.targets(LockRequest.of(codec.keys().nameForLooks())));
        try {
            long deadline = connector.deadline();
            long sent = time.epochMicros();
            connection.sendCommand(new CommandArguments(Protocol.Command.EVAL)
                    .add(LockScript.CHECK.source())
                    .add(1)
                    .add(codec.keys().own().heartbeat() + NO_KEY));
            connection.sendCommand(arguments(codec.usual(read, true, new CallBytes())));
            connection.push();
            long shown = clock(node, connection, deadline);
            long received = time.epochMicros();
            requireReading(node, connection, read, deadline);
            return shown > received ? shown - received : Math.min(0, shown - sent);
        } finally {
            connection.abandon();
        }
    }

    private long clock(int node, NodeConnection connection, long deadline) {
        try {
            return understood(node, read(connection, deadline));
        } catch (JedisDataException e) {
            throw new JedisDataException(LockScript.CHECK.explain(Failures.describe(e)));
        }
    }

    private void requireReading(int node, NodeConnection connection, Command read, long deadline) {
        try {
            understood(node, readInspection(node, connection, read, deadline));
        } catch (JedisDataException e) {
            throw new JedisDataException(nodes.codec(node).explain(read, Failures.describe(e)));
        }
    }

    private Object readInspection(int node, NodeConnection connection, Command command, long deadline) {
        try {
            return read(connection, deadline);
        } catch (JedisNoScriptException e) {
            connection.sendCommand(arguments(nodes.codec(node).bySource(command, new CallBytes())));
            connection.push();
            return read(connection, deadline);
        }
    }

    /** Returns a call as Jedis writes it. */
    private static CommandArguments arguments(CallBytes call) {
        List<byte[]> words = call.words();
        String command = new String(words.get(0), StandardCharsets.US_ASCII);
        CommandArguments arguments = new CommandArguments(Protocol.Command.valueOf(command));
        words.subList(1, words.size()).forEach(arguments::add);
        return arguments;
    }

    private static Object read(NodeConnection connection, long deadline) {
        return connection.read(deadline - System.nanoTime());
    }

    private static long understood(int node, Object reply) {
        Answer answer = ReplyDecoder.answer(node, reply);
        if (answer.reply() instanceof Reply.Refused refused) {
            throw new JedisDataException(refused.reason());
        }
        return answer.nodeMicros();
    }

    private CheckReport.Node admitted(int node) {
        Duration quarantine = nodes.health(node).quarantine();
        return quarantine.isZero()
                ? report(node, CheckReport.State.VOTES, "", quarantine)
                : report(node, CheckReport.State.QUARANTINED, nodes.health(node).reason(), quarantine);
    }

    /** A primary that is named since a moment ago is in quarantine after that. */
    private Duration quarantineOf(int node, NodeRefusedException refused) {
        return nodes.health(node).isSettling() ? refused.left().plus(longestQuarantine) : refused.left();
    }

    private CheckReport.Node report(int node, CheckReport.State state, String cause, Duration quarantine) {
        return new CheckReport.Node(nodes.address(node).toString(), state, cause, quarantine);
    }
}
