// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.List;
import java.util.stream.IntStream;
import org.holdfast.GuardMode;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.script.CommandName;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.LocalFailureException;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeErrors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Admits nodes and sets them aside, by what inspections and the clocks in their answers show.
 *
 * <p>Shared by everything in a lock service that talks with nodes. Safe for use by any number of threads.
 */
public final class AskedNodes {

    private static final System.Logger LOG = System.getLogger(AskedNodes.class.getName());

    private final VoterConnector connector;
    private final GuardPolicy policy;
    private final Time time;
    private final NodeLogLimiters logLimiters;
    private final WakeUp looks;
    private final ClockMonitor clockMonitor;
    private final List<NodeHealth> health;
    private final List<NodeInspector> inspectors;
    private final List<DevelopmentInspector> ofDevelopment;
    private final SameProcessCheck sameProcess;

    /** By node: those of shards know the keys in their slots. */
    private final List<ScriptCodec> codecs;

    /**
     * @param connector knows the nodes
     * @param policy whether nodes that may have forgotten locks lose their votes
     * @param recorder receives what becomes of nodes
     * @param logLimiters of all lock services that share the nodes
     * @param looks has nodes inspected in time, of which something is doubted
     */
    public AskedNodes(
            VoterConnector connector,
            ScriptCodec codec,
            GuardPolicy policy,
            Time time,
            Recorder recorder,
            NodeLogLimiters logLimiters,
            WakeUp looks) {
        this.connector = connector;
        this.policy = policy;
        this.time = time;
        this.logLimiters = logLimiters;
        this.looks = looks;
        this.codecs = IntStream.range(0, connector.size())
                .mapToObj(node -> connector.shard(node).isPresent() ? codec.of(connector.shard(node)) : codec)
                .toList();
        this.clockMonitor = new ClockMonitor(connector.size(), policy.settings().widest());
        this.health = connector.addresses().stream()
                .map(a -> new NodeHealth(a, time, recorder, logLimiters.of(a).aside(), looks))
                .toList();
        this.inspectors = IntStream.range(0, connector.size())
                .mapToObj(node -> new NodeInspector(
                        node,
                        connector,
                        codecs.get(node),
                        policy,
                        clockMonitor,
                        time,
                        logLimiters.of(address(node)).remembers()))
                .toList();
        this.ofDevelopment = IntStream.range(0, connector.size())
                .mapToObj(node -> new DevelopmentInspector(codec, time))
                .toList();
        this.sameProcess = new SameProcessCheck(connector.addresses(), health, logLimiters.majority());
    }

    /** A node is another process from now on, or in another term, and is admitted when it has been inspected. */
    public void moved(int node, Terms.Term term) {
        if (term.again()) {
            clockMonitor.goesOn(node, term.number());
            health(node).failed("its Sentinels were not heard for a while, and name it again");
            return;
        }
        clockMonitor.begin(node, term.number());
        NodeFacts.Namer namer = connector.shard(node).isPresent() ? NodeFacts.Namer.CLUSTER : NodeFacts.Namer.SENTINELS;
        String place = connector.shard(node).map(Shard::toString).orElse(term.place());
        health(node).failed(namer + " another primary, " + place);
        String more = logLimiters.of(address(node)).moves().leave();
        if (more != null) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0311: node " + address(node) + " is " + place + " from now on: " + namer + " that as the primary"
                            + (namer == NodeFacts.Namer.SENTINELS ? ", in epoch " + term.epoch() : "") + more);
        }
    }

    /** Returns what encodes commands for a node: the same object for nodes that are no shards. */
    public ScriptCodec codec(int node) {
        return codecs.get(node);
    }

    /** Says why a node refuses a command. Its cluster is asked anew if it is not the one to ask. */
    public String explainRefusal(int node, String reason) {
        if (connector.shard(node).isEmpty() || !NodeErrors.isMisdirected(reason)) {
            return reason;
        }
        connector.askAnew();
        return "its slot is on another node, is being moved, or is on none: " + reason;
    }

    /** Returns why an answer that comes now on a connection does not count; null if it does. */
    public @Nullable String whyOver(int node, NodeConnection connection) {
        return connector.whyOver(node, connection);
    }

    /**
     * Returns why an answer to a command that comes now is no vote, though the node is a voter; null if it is one. A
     * request may have stood still, in this process or on its way, until its slot was on another shard, or had lost
     * keys.
     */
    public @Nullable String whyNoVote(int node, Command command, long sentAt) {
        if (connector.shard(node).isEmpty()) {
            return null;
        }
        String elsewhere = connector.whyNotOnSlot(node, codec(node).keys().slot(CommandName.of(command)));
        return elsewhere == null ? codec(node).whyNoVote(command, sentAt) : elsewhere;
    }

    public int size() {
        return connector.size();
    }

    public VoterAddress address(int node) {
        return connector.addresses().get(node);
    }

    public NodeHealth health(int node) {
        return health.get(node);
    }

    public NodeInspector inspector(int node) {
        return inspectors.get(node);
    }

    /** Returns how often the log may say that a node refuses the subscription to releases. */
    public LogRateLimiter refusedSubscriptions(int node) {
        return logLimiters.of(address(node)).refusedSubscriptions();
    }

    /** Returns what is known of the nodes' clocks. */
    public ClockMonitor clockMonitor() {
        return clockMonitor;
    }

    /**
     * Connects to a node, and checks whether it may be asked.
     *
     * @param deadline for all of that, from {@link VoterConnector#deadline()}
     * @throws JedisException if it may not: its health says why, unless the reason is in this process
     */
    public NodeConnection connect(int node, long deadline) {
        try {
            return enter(node, deadline);
        } catch (RuntimeException e) {
            if (!Failures.isOverdueLookup(e)) { // the node may well answer, where connections are open
                setAside(node, e);
            }
            throw e;
        }
    }

    /**
     * As {@link #connect}, for a look that no lock depends on: a node that takes no further connection goes on with
     * those that are open, which renew leases. What an inspection finds counts for them too.
     */
    public NodeConnection visit(int node, long deadline) {
        try {
            return enter(node, deadline);
        } catch (RuntimeException e) {
            if (e instanceof NodeRefusedException || clockMonitor.isDoubted(node)) {
                setAside(node, e);
            }
            throw e;
        }
    }

    private NodeConnection enter(int node, long deadline) {
        NodeConnection connection = null;
        boolean admitted = false;
        try {
            connection = connector.open(node, deadline);
            admit(node, connection);
            connection.boundEachAnswer();
            admitted = true;
            return connection;
        } catch (OutOfMemoryError e) {
            throw connector.localFailure(e);
        } finally {
            if (connection != null && !admitted) {
                connection.abandon();
            }
        }
    }

    /** Inspects a node, and admits it unless something speaks against it. */
    public void admit(int node, NodeConnection connection) {
        if (policy.mode() == GuardMode.OFF) {
            connection.ping();
            health(node).admitted(Admission.TRUSTED);
            return;
        }
        if (policy.mode() == GuardMode.DEVELOPMENT) {
            sameProcess.admit(node, ofDevelopment.get(node).inspect(connection));
            return;
        }
        Admission admission = inspectors.get(node).inspect(connection);
        requireTerm(node, connection);
        if (clockMonitor.isDoubted(node)) { // whose clock it was is known when all nodes have been inspected
            throw new JedisException(clockMonitor.describe(node));
        }
        sameProcess.admit(node, admission);
        hastenDoubts();
    }

    private void requireTerm(int node, NodeConnection connection) {
        String over = whyOver(node, connection);
        if (over != null) {
            throw new JedisException(over);
        }
    }

    /** A node is not to be asked, for the reason that its inspection gave. */
    public void setAside(int node, RuntimeException reason) {
        hastenDoubts();
        if (LocalFailureException.isReasonOf(reason)) {
            health(node).notLookedAt(Failures.describe(connector.localFailure(reason)));
        } else if (reason instanceof NodeRefusedException refused) {
            health(node).refuse(Failures.describe(refused), refused.settlingNanos());
        } else if (clockMonitor.isDoubted(node)) {
            health(node).doubt(clockMonitor.describe(node));
        } else {
            health(node).failed(connector.describe(node, reason));
        }
    }

    /**
     * Returns what an answer is worth, by the clock of its node.
     *
     * @param term of the connection on which it came
     */
    public Answer weigh(Answer answer, Command command, int term, long sentAt) {
        if (!policy.enforced()) {
            return answer;
        }
        Answer weighed = clockMonitor.weigh(answer, command, term, sentAt, time.nanoTime());
        if (clockMonitor.isDoubted(answer.node())) {
            health(answer.node()).doubt(clockMonitor.describe(answer.node()));
        }
        hastenDoubts();
        return weighed;
    }

    /**
     * Returns the earliest moment that a node's clock shows if it is not behind, in milliseconds; 0 if it is not known.
     */
    public long earliestMillis(int node) {
        return policy.enforced()
                ? clockMonitor.earliestMillis(node, time.nanoTime())
                : 1; // without a guard any clock is right
    }

    /** Each moment of a clock may show whose clock it was that jumped. */
    private void hastenDoubts() {
        if (!clockMonitor.doubted().isEmpty()) {
            looks.within(0);
        }
    }

    private NodeSet asked() {
        NodeSet asked = NodeSet.NONE;
        for (int node = 0; node < size(); node++) {
            if (health.get(node).isAsked()) {
                asked = asked.with(node);
            }
        }
        return asked;
    }

    /** Returns the nodes to connect to: those to be asked, and if they are no quorum, others due for inspection. */
    public NodeSet connectable() {
        NodeSet chosen = asked();
        if (chosen.size() >= size() / 2 + 1) {
            return chosen;
        }
        for (int node = 0; node < size(); node++) {
            // a doubt is settled in the background: callers would only claim the inspections that settle it
            if (!chosen.contains(node)
                    && !clockMonitor.isDoubted(node)
                    && health.get(node).claimLook()) {
                chosen = chosen.with(node);
            }
        }
        return chosen;
    }
}
