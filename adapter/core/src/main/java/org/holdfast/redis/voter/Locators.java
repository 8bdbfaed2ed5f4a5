// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.ClusterAddress;
import org.holdfast.redis.address.FixedAddress;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.cluster.ClusterMap;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.wire.NodeConnector;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Where the voters of one lock service are. A voter that is a cluster is another process for other names: there is a
 * {@link VoterConnector} for each combination of shards.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Locators implements AutoCloseable {

    private final List<VoterAddress> addresses;
    private final NodeConnector connector;
    private final ClusterPatience patience;
    private final Supplier<Hearing<NodeView>> hearings;
    private final List<Entry> entries;
    private final Set<VoterConnector> connectors = ConcurrentHashMap.newKeySet();
    private volatile WakeUp misdirected = WakeUp.NONE;

    /**
     * How long votes of a shard count.
     *
     * @param hearing within what time a primary that has voted for a replica hears of its promotion: it is sent on the
     *     same link
     */
    record ClusterPatience(Duration counts, Duration hearing) {

        static final ClusterPatience USUAL = new ClusterPatience(Terms.COUNTS, Duration.ofSeconds(2));

        ClusterMap newMap(Duration round, double driftFactor, Time time) {
            return new ClusterMap(time, counts.plus(hearing), round.plus(hearing), driftFactor);
        }
    }

    /** How a voter is found: by its locator, or by its cluster and the slot of a name. */
    private record Entry(Optional<Locator> locator, Optional<ClusterLocator> cluster) {

        void confirm() {
            locator.ifPresent(Locator::confirm);
            cluster.ifPresent(ClusterLocator::confirm);
        }

        void close() {
            locator.ifPresent(Locator::close);
            cluster.ifPresent(ClusterLocator::close);
        }
    }

    /** @param driftFactor bound on the difference of clock rates, as a part of the time that passes */
    public Locators(List<VoterAddress> addresses, NodeConnector connector, double driftFactor, Time time) {
        this(addresses, connector, ClusterPatience.USUAL, () -> new Inquiry<>(connector), driftFactor, time);
    }

    /** @param hearings how the primaries of a cluster are asked */
    Locators(
            List<VoterAddress> addresses,
            NodeConnector connector,
            ClusterPatience patience,
            Supplier<Hearing<NodeView>> hearings,
            double driftFactor,
            Time time) {
        this.addresses = List.copyOf(addresses);
        this.connector = connector;
        this.patience = patience;
        this.hearings = hearings;
        this.entries = IntStream.range(0, addresses.size())
                .mapToObj(voter -> entry(voter, driftFactor, time))
                .toList();
    }

    private Entry entry(int voter, double driftFactor, Time time) {
        VoterAddress address = addresses.get(voter);
        Duration round = Duration.ofNanos(connector.nodeTimeoutNanos());
        if (address instanceof ClusterAddress cluster) {
            ClusterMap map = patience.newMap(round, driftFactor, time);
            return new Entry(
                    Optional.empty(),
                    Optional.of(new ClusterLocator(
                            cluster,
                            connector,
                            hearings.get(),
                            map,
                            time,
                            move -> moved(voter, move.shard(), move.term()))));
        }
        Locator locator = address instanceof SentinelAddress sentinels
                ? new SentinelLocator(
                        sentinels,
                        connector,
                        new Terms(time, Terms.COUNTS, round, driftFactor),
                        time,
                        term -> connectors.forEach(each -> each.moved(voter, term)))
                : new FixedLocator((FixedAddress) address);
        return new Entry(Optional.of(locator), Optional.empty());
    }

    private void moved(int voter, Shard shard, Terms.Term term) {
        connectors.stream()
                .filter(each -> each.shard(voter).filter(shard::equals).isPresent())
                .forEach(each -> each.moved(voter, term));
    }

    /** @param asks has {@link #confirm()} called soon, when a node says that another one has a slot */
    public void onMisdirected(WakeUp asks) {
        misdirected = asks;
    }

    /** Returns the addresses of the voters, by voter. */
    public List<VoterAddress> addresses() {
        return addresses;
    }

    /** Returns whether a voter may become another process, so that {@link #confirm()} is to be called once a second. */
    public boolean isMoving() {
        return addresses.stream().anyMatch(VoterAddress::isMoving);
    }

    /** Returns whether a voter is a cluster. */
    public boolean isSharded() {
        return addresses.stream().anyMatch(ClusterAddress.class::isInstance);
    }

    /** Returns what opens connections to the voters, none of which is a cluster. */
    public VoterConnector connector() {
        return connector(List.of());
    }

    /**
     * Returns what opens connections to the voters on some slots.
     *
     * @param shards that have the slots, by voter: empty where no node is known to have them, or for a voter that is no
     *     cluster
     */
    public VoterConnector connector(List<Optional<Shard>> shards) {
        Locator[] locators = new Locator[addresses.size()];
        for (int voter = 0; voter < locators.length; voter++) {
            Entry entry = entries.get(voter);
            Optional<Shard> shard = shards.isEmpty() ? Optional.empty() : shards.get(voter);
            locators[voter] =
                    entry.locator().orElseGet(() -> locator(entry.cluster().orElseThrow(), shard));
        }
        VoterConnector voters = new VoterConnector(
                addresses, connector, locators, shards, () -> misdirected.within(0), connectors::remove);
        connectors.add(voters);
        return voters;
    }

    private static Locator locator(ClusterLocator cluster, Optional<Shard> shard) {
        return shard.<Locator>map(it -> new ShardLocator(cluster, it)).orElseGet(() -> new NowhereLocator(cluster));
    }

    /** Returns which shards have a slot, by voter; asks where that is not known. */
    public List<Optional<Shard>> shards(int slot) {
        return entries.stream()
                .map(entry -> entry.cluster().flatMap(cluster -> cluster.shard(slot)))
                .toList();
    }

    /** Returns the same, as far as is known without asking. */
    public List<Optional<Shard>> knownShards(int slot) {
        return entries.stream()
                .map(entry -> entry.cluster().flatMap(cluster -> cluster.map().shard(slot)))
                .toList();
    }

    /** Returns which shards had a slot when that was known last, by voter. */
    public List<Optional<Shard>> lastShards(int slot) {
        return entries.stream()
                .map(entry -> entry.cluster().flatMap(cluster -> cluster.map().lastShard(slot)))
                .toList();
    }

    /** Returns one slot, or more, of each combination of shards that is known; none before a cluster was asked. */
    public List<Integer> slots() {
        return clusters()
                .flatMap(cluster -> cluster.map().firsts().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** Returns whether a voter is a cluster of which some slots have no node, as far as is known. */
    public boolean hasSlotsOfNoNode(int voter) {
        return entries.get(voter)
                .cluster()
                .filter(cluster -> cluster.map().hasSlotsOfNoNode())
                .isPresent();
    }

    private Stream<ClusterLocator> clusters() {
        return entries.stream().flatMap(entry -> entry.cluster().stream());
    }

    /**
     * Asks where the voters are, all at once: Sentinels of one voter that hang must not take the votes of another.
     * Blocks for a node timeout at the most, or for one each where other threads have no time for it.
     */
    public void confirm() {
        List<Question> questions = IntStream.range(0, entries.size())
                .filter(voter -> addresses.get(voter).isMoving())
                .mapToObj(voter -> new Question(entries.get(voter)))
                .toList();
        questions.stream().skip(1).forEach(connector::runElsewhere);
        questions.forEach(Question::run);
    }

    /** Asks about one voter, on whichever thread comes first: one that was given it may be busy for long. */
    private static final class Question implements Runnable {

        private final Entry entry;
        private final AtomicBoolean begun = new AtomicBoolean();

        Question(Entry entry) {
            this.entry = entry;
        }

        @Override
        public void run() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            try {
                entry.confirm();
            } catch (JedisException e) {
                // this process lacks something, which is reported by now; the voter is asked about again in a second
            }
        }
    }

    /** Gives a task to another thread; returns false where there is none for it. */
    public boolean runElsewhere(Runnable task) {
        return connector.runElsewhere(task);
    }

    /** Closes the connections by which it asks where voters are. */
    @Override
    public void close() {
        entries.forEach(Entry::close);
    }
}
