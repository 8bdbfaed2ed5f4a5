// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.Terms;
import org.holdfast.redis.address.NodeAddress;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens connections to the voters of one lock service, wherever they are now, each within one node timeout.
 *
 * <p>Safe for use by any number of threads.
 */
public final class VoterConnector implements AutoCloseable {

    private final List<VoterAddress> addresses;
    private final NodeConnector connector;
    private final Locator[] locators;
    private final boolean moving;
    private volatile MoveListener moved = (voter, term) -> {};

    /** Receives each voter that has become another process, on the thread that has learned of it. */
    public interface MoveListener {

        /** @param term that has begun by that */
        void moved(int voter, Terms.Term term);
    }

    /** @param driftFactor bound on the difference of clock rates, as a part of the time that passes */
    public VoterConnector(List<VoterAddress> addresses, NodeConnector connector, double driftFactor, Time time) {
        this.addresses = List.copyOf(addresses);
        this.connector = connector;
        this.locators = new Locator[addresses.size()];
        this.moving = addresses.stream().anyMatch(SentinelAddress.class::isInstance);
        Duration round = Duration.ofNanos(connector.nodeTimeoutNanos());
        for (int voter = 0; voter < locators.length; voter++) {
            locators[voter] = locator(voter, new Terms(time, Terms.COUNTS, round, driftFactor), time);
        }
    }

    private Locator locator(int voter, Terms terms, Time time) {
        VoterAddress address = addresses.get(voter);
        if (address instanceof SentinelAddress sentinels) {
            return new SentinelLocator(sentinels, connector, terms, time, term -> moved.moved(voter, term));
        }
        return new FixedLocator((NodeAddress) address);
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

    /** Returns whether a voter may become another process, so that {@link #confirm()} is to be called once a second. */
    public boolean isMoving() {
        return moving;
    }

    /**
     * Asks where the voters are, all at once: Sentinels of one voter that hang must not take the votes of another.
     * Blocks for a node timeout at the most, or for one each where other threads have no time for it.
     */
    public void confirm() {
        List<Question> questions = Arrays.stream(locators)
                .filter(SentinelLocator.class::isInstance)
                .map(Question::new)
                .toList();
        questions.stream().skip(1).forEach(connector::runElsewhere);
        questions.forEach(Question::run);
    }

    /** Asks about one voter, on whichever thread comes first: one that was given it may be busy for long. */
    private static final class Question implements Runnable {

        private final Locator locator;
        private final AtomicBoolean begun = new AtomicBoolean();

        Question(Locator locator) {
            this.locator = locator;
        }

        @Override
        public void run() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            try {
                locator.confirm();
            } catch (JedisException e) {
                // this process lacks something, which is reported by now; the voter is asked about again in a second
            }
        }
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

    /** Returns why an answer that comes now on a connection of this term does not count; null if it does. */
    public @Nullable String whyOver(int voter, int term) {
        return locators[voter].whyOver(term);
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

    /** Closes the connections by which it asks where voters are. */
    @Override
    public void close() {
        for (Locator locator : locators) {
            locator.close();
        }
    }
}
