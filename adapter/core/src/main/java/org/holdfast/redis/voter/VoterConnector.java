// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.cluster.SlotRecord;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens connections to the voters of one lock service, wherever they are now, each within one node timeout.
 *
 * <p>Safe for use by any number of threads.
 */
public final class VoterConnector implements AutoCloseable {

    /** To a node of a cluster, whose answer is for {@link #requireNode}. */
    public static final CommandArguments WHICH_NODE = new CommandArguments(Command.CLUSTER).add("MYID");

    private final List<VoterAddress> addresses;
    private final NodeConnector connector;
    private final Locator[] locators;
    private final List<Optional<Shard>> shards;
    private final Runnable asksAnew;
    private final Consumer<VoterConnector> onClose;
    private volatile MoveListener moved = (voter, term) -> {};

    /** Receives each voter that has become another process, on the thread that has learned of it. */
    public interface MoveListener {

        /** @param term that has begun by that */
        void moved(int voter, Terms.Term term);
    }

    /**
     * @param shards of voters that are clusters, by voter; empty if none is
     * @param asksAnew has clusters asked which nodes have which slots
     * @param onClose receives this when it is closed
     */
    VoterConnector(
            List<VoterAddress> addresses,
            NodeConnector connector,
            Locator[] locators,
            List<Optional<Shard>> shards,
            Runnable asksAnew,
            Consumer<VoterConnector> onClose) {
        this.addresses = addresses;
        this.connector = connector;
        this.locators = locators;
        this.shards = shards;
        this.asksAnew = asksAnew;
        this.onClose = onClose;
    }

    /** Returns the shard that a voter is here; empty for a voter that is no cluster. */
    public Optional<Shard> shard(int voter) {
        return shards.isEmpty() ? Optional.empty() : shards.get(voter);
    }

    /** Has clusters asked soon which nodes have which slots. */
    public void askAnew() {
        asksAnew.run();
    }

    /** Has a shard say which slots it has, if it has not yet. */
    public void hearSlots(int voter, NodeConnection connection) {
        if (locators[voter] instanceof ShardLocator locator) {
            locator.hear(connection);
        }
    }

    /**
     * Returns what should stand on a shard about its slots; empty if that is kept elsewhere by now.
     *
     * @param sight what it shows now
     */
    public Optional<Shard.Update> slots(int voter, SlotRecord.Sight sight) {
        return locators[voter] instanceof ShardLocator locator ? locator.update(sight) : Optional.empty();
    }

    /**
     * Requires that the node at the end of a connection is the one that its cluster names there. An address may lead to
     * a node of another cluster for a moment, and a connection of that moment stays open.
     *
     * @param id its answer to {@link #WHICH_NODE}
     * @throws JedisConnectionException if it is another node, or the term of the connection is over
     */
    public void requireNode(int voter, NodeConnection connection, String id) {
        if (locators[voter] instanceof ShardLocator locator) {
            locator.requireNode(connection.term(), id);
        }
    }

    /**
     * Requires that the process at the end of a connection is the voter, as far as its witnesses know processes: an
     * address may lead to another one for this client alone. Called when it has answered: the term may have ended
     * meanwhile.
     *
     * @throws JedisConnectionException if they know another one there, or the term of the connection is over
     */
    public void requireProcess(int voter, NodeConnection connection, String runId) {
        locators[voter].requireProcess(connection.term(), runId);
    }

    /** Asks a node, if it is a shard, whether it is the one that its cluster names there, see {@link #requireNode}. */
    public void askWhichNode(int voter, NodeConnection connection) {
        if (locators[voter] instanceof ShardLocator locator) {
            Object reply = connection.executeCommand(WHICH_NODE);
            locator.requireNode(
                    connection.term(), reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "");
        }
    }

    void moved(int voter, Terms.Term term) {
        moved.moved(voter, term);
    }

    public void onMove(MoveListener told) {
        moved = told;
    }

    /** Returns how many voters there are. */
    public int size() {
        return addresses.size();
    }

    /** Returns the addresses of the voters, by voter. */
    public List<VoterAddress> addresses() {
        return addresses;
    }

    /** Returns how long a node may take to answer. */
    public long nodeTimeoutNanos() {
        return connector.nodeTimeoutNanos();
    }

    /** Returns when a connection has to be there that is begun now, on the scale of {@link System#nanoTime()}. */
    public long deadline() {
        return connector.deadline();
    }

    /**
     * Opens a connection, on which everything has the same deadline until {@link NodeConnection#boundEachAnswer()}.
     *
     * @param deadline from {@link #deadline()}
     * @throws JedisException if there is none
     */
    public NodeConnection open(int voter, long deadline) {
        Locator.Place place = locators[voter].place(deadline);
        return connector.open(place.address(), place.term(), deadline);
    }

    /**
     * Opens a connection, within one node timeout from now, on which each answer has a timeout of its own.
     *
     * @throws JedisException if there is none
     */
    public NodeConnection open(int voter) {
        NodeConnection connection = open(voter, deadline());
        connection.boundEachAnswer();
        return connection;
    }

    /** Says what came of an attempt to ask a voter, and at which address where Sentinels name that. */
    public String describe(int voter, Throwable failure) {
        return Failures.describe(failure) + locators[voter].describePlace();
    }

    /** Returns why an answer that comes now on a connection does not count; null if it does. */
    public @Nullable String whyOver(int voter, NodeConnection connection) {
        String replaced = connection.whyReplaced();
        return replaced != null ? replaced : whyOver(voter, connection.term());
    }

    /** Returns why an answer that comes now in this term does not count; null if it does. */
    public @Nullable String whyOver(int voter, int term) {
        return locators[voter].whyOver(term);
    }

    /** Returns why a vote on a name in this slot that comes now does not count; null if it does. */
    public @Nullable String whyNotOnSlot(int voter, int slot) {
        return locators[voter] instanceof ShardLocator locator ? locator.whyNot(slot) : null;
    }

    /**
     * Returns what the guard has to know of a term; empty for a voter at a fixed address.
     *
     * @throws JedisException if the term is over
     */
    public Optional<NodeFacts.Appointment> appointment(int voter, int term) {
        return locators[voter].appointment(term);
    }

    /** Takes note that this process cannot open a connection, and returns what to throw. */
    public JedisConnectionException localFailure(Throwable failure) {
        return connector.localFailure(failure);
    }

    /** Gives an attempt to connect to another thread; returns false where there is none for it. */
    public boolean runElsewhere(Runnable attempt) {
        return connector.runElsewhere(attempt);
    }

    /** Is told of no move any more. */
    @Override
    public void close() {
        onClose.accept(this);
    }
}
