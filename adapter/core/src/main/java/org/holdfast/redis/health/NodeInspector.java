// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.guard.ClockMonitor;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.NodeGuard;
import org.holdfast.protocol.guard.NodeProbe;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.cluster.ReplicationIds;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.NodeKeys;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Inspects one node on each new connection, before it is asked for anything, and once a second: sets its birth mark
 * right, and compares its clock.
 *
 * <p>One round trip where the mark is right. An open connection proves that the process is the same, unless a proxy is
 * in between: then scripts ask that themselves. That the memory of the process is whole, they see by the mark. Safe for
 * use by any number of threads, each with a connection of its own.
 */
public final class NodeInspector {

    private static final System.Logger LOG = System.getLogger(NodeInspector.class.getName());

    /** What mark.lua returns when it has set the mark. */
    private static final long MARK_SET = 8;

    private final int node;
    private final VoterConnector connector;
    private final VoterAddress address;
    private final ScriptCodec codec;
    private final ClockMonitor clockMonitor;
    private final Time time;
    private final LogRateLimiter logLimiter;
    private final NodeGuard guard;
    private final ShardNotes shardNotes;
    private final boolean observes;

    /**
     * The reason of a quarantine that was reported last; empty when the node was admitted since. A node that is refused
     * is in quarantine anew each time that it is inspected, which is reported once.
     */
    private final AtomicReference<String> reported = new AtomicReference<>("");

    /**
     * @param policy with the settings that processes must share; where it observes, nothing is written
     * @param logLimiter of what the log says of marks
     */
    NodeInspector(
            int node,
            VoterConnector connector,
            ScriptCodec codec,
            GuardPolicy policy,
            ClockMonitor clockMonitor,
            Time time,
            LogRateLimiter logLimiter) {
        this.node = node;
        this.connector = connector;
        this.address = connector.addresses().get(node);
        this.codec = codec;
        this.clockMonitor = clockMonitor;
        this.time = time;
        this.logLimiter = logLimiter;
        this.observes = policy.observes();
        SharedSettings widest = policy.settings().widest();
        Duration inheritedAfter = address.durable() ? widest.heartbeat().plus(widest.quarantine()) : Duration.ZERO;
        this.shardNotes = new ShardNotes(
                node, connector, codec, TimeUnit.NANOSECONDS.toMicros(inheritedAfter.toNanos()), !observes);
        this.guard = new NodeGuard(node, policy.settings(), policy.others(node), address.durable(), clockMonitor, time);
    }

    /**
     * Inspects the node, sets the mark right if need be, and compares the clock.
     *
     * @return for how long the node will grant nothing new
     * @throws NodeRefusedException if the node is not to be used, or does not let us inspect it
     * @throws JedisException if it does not answer
     */
    public Admission inspect(NodeConnection connection) {
        long begunAt = time.nanoTime();
        Optional<HomeSearch.Lead> lead = connector.shard(node).flatMap(shard -> shardNotes.search(connection, shard));
        Connected connected = new Connected(connection, lead);
        NodeGuard.Admission admission = guard.admit(connected);
        if (admission instanceof NodeGuard.Admission.Refused refused) {
            throw NodeRefusedException.settling(refused.reason(), Duration.ofNanos(refused.settlingNanos()));
        }
        if (admission instanceof NodeGuard.Admission.Admitted admitted) {
            connector.shard(node).ifPresent(shard -> connected.isOver(shard, admitted, begunAt));
            reported.set("");
            return new Admission(
                    admitted.runId(), TimeUnit.MICROSECONDS.toNanos(admitted.quarantineMicros()), admitted.reason());
        }
        throw unsettled();
    }

    /** Begins a quarantine, whatever the mark says. */
    public void quarantine(NodeConnection connection, String reason) {
        if (!guard.quarantine(new Connected(connection, Optional.empty()), reason)) {
            throw unsettled();
        }
    }

    /**
     * Returns whether other processes have watched the clock of this node, which seems to have jumped, all the time.
     */
    public boolean isVouchedFor(NodeConnection connection) {
        long sentAt = time.nanoTime();
        connection.sendCommand(
                new CommandArguments(Command.GET).add(codec.keys().own().mark()));
        connection.sendCommand(new CommandArguments(Command.TIME));
        List<Object> replies = connection.getMany(2);
        clockMonitor.note(node, connection.term(), sentAt, time.nanoTime(), InspectionDecoder.micros(replies.get(1)));
        return replies.get(0) instanceof byte[] bytes
                && BirthMark.parse(InspectionDecoder.keptText(bytes))
                        .filter(mark -> clockMonitor.isVouchedFor(node, mark.steadyMicros(), mark.watchedMicros()))
                        .isPresent();
    }

    private static JedisException unsettled() {
        return new JedisException("its birth mark keeps changing");
    }

    /** The node, as the guard sees it over one connection. */
    private final class Connected implements NodeProbe {

        private final NodeConnection connection;

        /** Where its birth mark is, as was found for this look: clients may look elsewhere from the next one on. */
        private final NodeKeys.OwnKeys own = codec.keys().own();

        private final Optional<HomeSearch.Lead> lead;

        private ReplicationIds ids = ReplicationIds.UNKNOWN;

        /** Its clock when it was looked at last. */
        private long nowMicros;

        /** Whether others may know more of it than is noted. */
        private boolean isBehindOthers;

        /** @param lead what leads to its birth mark; empty if it is no shard, or nothing is known to lead there */
        Connected(NodeConnection connection, Optional<HomeSearch.Lead> lead) {
            this.connection = connection;
            this.lead = lead.filter(it -> own.tag().equals(Optional.of(it.home())));
        }

        @Override
        public boolean mayNote() {
            return !observes && (!own.ofShard() || lead.isPresent());
        }

        @Override
        public long heardSince() {
            return connector.shard(node).map(Shard::heardSince).orElse(Long.MIN_VALUE / 2);
        }

        @Override
        public boolean hasWatchedSince(long moment) {
            return connector
                    .shard(node)
                    .filter(shard -> !shard.hasWatchedSince(moment))
                    .isEmpty();
        }

        /** A client renews its leases also where it does not know whether others look there: by the record. */
        private void isOver(Shard shard, NodeGuard.Admission.Admitted admitted, long begunAt) {
            if (!isBehindOthers && !observes) {
                shardNotes.noteSlots(
                        connection, own, ids, nowMicros, !admitted.reason().isEmpty(), lead.isPresent());
            }
            shard.isLedBy(isBehindOthers ? Optional.empty() : lead, begunAt);
        }

        @Override
        public void letOthersGoFirst() {
            isBehindOthers = true;
        }

        @Override
        public NodeProbe.Sight look() {
            Optional<NodeFacts.Appointment> appointment = connector.appointment(node, connection.term());
            long sentAt = time.nanoTime();
            connection.sendCommand(new CommandArguments(Command.GET).add(own.mark()));
            connection.sendCommand(new CommandArguments(Command.GET).add(own.heartbeat()));
            connection.sendCommand(new CommandArguments(Command.TIME));
            connection.sendCommand(new CommandArguments(Command.INFO));
            connection.sendCommand(new CommandArguments(Command.CLIENT).add("INFO"));
            boolean durable = address.durable();
            if (durable) {
                askHowItPersists();
            }
            if (own.ofShard()) {
                connection.sendCommand(new CommandArguments(Command.GET).add(own.slots()));
            }
            List<Object> replies = connection.getMany((durable ? 7 : 5) + (own.ofShard() ? 1 : 0));
            if (own.ofShard()) {
                ShardNotes.requireThere(replies.get(replies.size() - 1));
            }
            String mark = InspectionDecoder.mark(replies.get(0));
            boolean heartbeat = replies.get(1) instanceof byte[];
            long now = InspectionDecoder.micros(replies.get(2));
            Map<String, String> info = InspectionDecoder.info(replies.get(3));
            Optional<String> fault = durable
                    ? InspectionDecoder.durabilityFault(info, replies.get(5), replies.get(6))
                    : Optional.empty();
            NodeFacts facts = InspectionDecoder.facts(info, now, fault, appointment);
            connector.requireProcess(
                    node, connection, facts.process().runId()); // the clock of another one is not that of the node
            ids = ReplicationIds.of(info);
            nowMicros = now;
            clockMonitor.note(node, connection.term(), sentAt, time.nanoTime(), now);
            boolean direct = InspectionDecoder.sees(replies.get(4), connection.ownEnd());
            if (!connection.answersAs(facts.process().runId()) || !direct) {
                askWhichProcess();
            }
            return new NodeProbe.Sight(facts, mark, heartbeat);
        }

        /** Before a script is sent on this connection: what is sent on others may be of no use to this node. */
        private void askWhichProcess() {
            if (codec.askWhichProcess()) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "HF0312: node " + address + " may be behind a proxy, which keeps a connection while the process"
                                + " behind it changes: it does not see the port or the file by which it is asked. So"
                                + " scripts that grant a lock ask which process runs them");
            }
        }

        private void askHowItPersists() {
            for (String setting : List.of("appendfsync", "no-appendfsync-on-rewrite")) {
                connection.sendCommand(
                        new CommandArguments(Command.CONFIG).add("GET").add(setting));
            }
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            if (observes) {
                throw NodeRefusedException.unused(change.reason());
            }
            long sentAt = time.nanoTime();
            Object reply = evaluate(
                    connection,
                    new CommandArguments(Command.EVAL)
                            .add(LockScript.MARK.source())
                            .add(2)
                            .add(own.mark())
                            .add(own.heartbeat())
                            .add(InspectionDecoder.keptBytes(change.seenText()))
                            .add(change.sinceMicros())
                            .add(change.steadyMicros())
                            .add(InspectionDecoder.keptBytes(change.rest()))
                            .add(change.heartbeatMillis())
                            .add(change.earlyMicros())
                            .add(change.behindUntilMicros())
                            .add(change.lookedMicros())
                            .add(change.isAnotherClocks() ? 1 : 0)
                            .add(own.listOfSlots())
                            .add(lead.map(it -> codec.keys().door(it.door())).orElse(""))
                            .add(lead.map(it -> InspectionDecoder.keptBytes(it.sign()))
                                    .orElse(new byte[0])));
            if (!(reply instanceof List<?> list
                    && list.size() == 3
                    && list.get(0) instanceof Long status
                    && list.get(1) instanceof Long seen
                    && list.get(2) instanceof Long nodeMicros)) {
                throw new JedisConnectionException("the node returned what no script of ours returns");
            }
            clockMonitor.note(
                    node, connection.term(), sentAt, time.nanoTime(), nodeMicros); // it may have jumped since the look
            if (status != MARK_SET) {
                return Optional.empty();
            }
            if (!change.reason().isEmpty() && !change.reason().equals(reported.getAndSet(change.reason()))) {
                report(change, nodeMicros);
            }
            return Optional.of(seen);
        }
    }

    private void report(MarkChange change, long nodeMicros) {
        String more = logLimiter.leave();
        if (more != null) {
            long passedMicros = change.sinceMicros() == MarkChange.NOW ? 0 : nodeMicros - change.sinceMicros();
            String shard = connector.shard(node).map(it -> " at " + it).orElse("");
            long millis = change.acceptedSettings().widest().quarantine().toMillis()
                    - TimeUnit.MICROSECONDS.toMillis(passedMicros);
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0303: node " + address + shard + " is in quarantine for " + millis
                            + " ms, and grants no new lock" + " until then: " + change.reason() + more);
        }
    }

    private static Object evaluate(NodeConnection connection, CommandArguments call) {
        try {
            return connection.executeCommand(call);
        } catch (JedisDataException e) {
            throw new JedisDataException(LockScript.MARK.explain(Failures.describe(e)));
        }
    }
}
