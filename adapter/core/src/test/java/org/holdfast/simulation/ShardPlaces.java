// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.HomeSearch;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.script.CommandName;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.voter.VoterConnector;

/** Where the shards are that vote on the same names: the real {@link VoterConnector} says, as far as it knows. */
final class ShardPlaces implements Places {

    private final VoterConnector connector;
    private final Time time;
    private final Members members;
    private final List<Optional<ScriptCodec>> codecs;

    /** For how long the node before must have had a slot, where writes survive a failover: as the real one. */
    private final long inheritedAfterMicros;

    /** Finds what is at an address. */
    interface Members {

        Optional<ClusterMember> at(int voter, HostPort place);
    }

    ShardPlaces(
            VoterConnector connector,
            Members members,
            int voters,
            ScriptCodec codec,
            SharedSettings settings,
            Time time) {
        this.time = time;
        this.inheritedAfterMicros =
                settings.heartbeat().plus(settings.quarantine()).toNanos() / 1_000;
        this.connector = connector;
        this.members = members;
        this.codecs = IntStream.range(0, voters)
                .mapToObj(voter -> connector.shard(voter).map(shard -> codec.of(Optional.of(shard))))
                .toList();
    }

    @Override
    public Optional<Place> of(int node) {
        return counting(node).flatMap(term -> shard(node)
                .placeOf(term.place())
                .flatMap(place -> members.at(node, place))
                .map(member -> new Place(member.process, term.number())));
    }

    private Shard shard(int node) {
        return connector.shard(node).orElseThrow();
    }

    private Optional<Terms.Term> counting(int node) {
        return connector.shard(node).flatMap(shard -> shard.terms().counting());
    }

    @Override
    public boolean counts(int node, int term) {
        return connector.shard(node).isPresent() && connector.whyOver(node, term) == null;
    }

    @Override
    public boolean countsFor(int node, Command command, long sentAt) {
        ScriptCodec codec = codecs.get(node).orElseThrow();
        int slot = codec.keys().slot(CommandName.of(command));
        return connector.whyNotOnSlot(node, slot) == null && codec.whyNoVote(command, sentAt) == null;
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int node) {
        return counting(node).flatMap(term -> connector.appointment(node, term.number()));
    }

    @Override
    public Optional<ScriptCodec> codec(int node) {
        return codecs.get(node);
    }

    @Override
    public Optional<HomeSearch> homes(int node, SimulatedNode process) {
        requireNode(node);
        hear(node);
        return Optional.of(process.probes.search(codecs.get(node).orElseThrow().keys(), shard(node)));
    }

    @Override
    public void looked(int node, SimulatedNode process, NodeProbes.Look look) {
        if (!look.isBehindOthers()) {
            process.probes.noteSlots(
                    codecs.get(node).orElseThrow().keys(),
                    !look.admitted().reason().isEmpty(),
                    look.lead().isPresent(),
                    inheritedAfterMicros,
                    sight -> connector.slots(node, sight));
        }
        shard(node).isLedBy(look.isBehindOthers() ? Optional.empty() : look.lead(), time.nanoTime());
    }

    /** As the real one: each node says which one it is. */
    private void requireNode(int node) {
        Terms.Term term = counting(node).orElseThrow(() -> new MemoryRedis.ErrorReply("its term is over"));
        boolean named = shard(node)
                .placeOf(term.place())
                .flatMap(place -> members.at(node, place))
                .filter(member -> member.id.equals(term.place()))
                .isPresent();
        if (!named) {
            throw new MemoryRedis.ErrorReply("another node is at its address");
        }
    }

    /** As the real one: a shard that has not said itself which slots it has is asked when it is looked at. */
    private void hear(int node) {
        Shard shard = shard(node);
        counting(node).flatMap(term -> shard.placeOf(term.place())).ifPresent(place -> members.at(node, place)
                .filter(member -> shard.isSilent())
                .ifPresent(member -> shard.hear(NodeView.parse(member.answers.nodes(), place), time.nanoTime())));
    }

    @Override
    public void misdirected() {
        connector.askAnew();
    }
}
