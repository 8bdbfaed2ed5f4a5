// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.sharded;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.CheckReport;
import org.holdfast.LockException;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.LockNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.NodeGroup;
import org.holdfast.redis.cluster.Shard;
import org.holdfast.redis.releases.ReleaseSubscriber;
import org.holdfast.redis.script.ScriptCodec;
import org.holdfast.redis.survey.FoundLocks;
import org.holdfast.redis.survey.Waiting;
import org.holdfast.redis.voter.Locators;
import org.holdfast.redis.voter.VoterConnector;

/**
 * The nodes of a lock service, one or more of which are clusters.
 *
 * <p>Safe for use by any number of threads.
 */
public final class ShardedNodes implements LockNodes {

    /** Each has connections of its own, and is looked at once a second. */
    private static final int MOST_GROUPS = 256;

    /** Looks at many groups are over within so long, if no node hangs. */
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Locators locators;
    private final ScriptCodec codec;
    private final Function<VoterConnector, GroupedNodes> opener;
    private final Time time;
    /** In the order in which they were opened. Each change makes a new map: it is read for each command. */
    private volatile Map<List<Optional<Shard>>, GroupedNodes> groups = Map.of();

    /** Since when the shards of a group have no slot in common. Only the thread that asks for slots uses it. */
    private final Map<GroupedNodes, Long> idle = new HashMap<>();

    private final Set<ShardedChannel> channels = ConcurrentHashMap.newKeySet();
    private final Set<ShardedSubscriber> subscribers = ConcurrentHashMap.newKeySet();
    private volatile LongConsumer clockStoodStill = nanos -> {};
    private volatile boolean closed;

    /**
     * @param codec knows the slot of a name
     * @param opener makes a group of nodes
     */
    public ShardedNodes(
            Locators locators, ScriptCodec codec, Function<VoterConnector, GroupedNodes> opener, Time time) {
        this.locators = locators;
        this.codec = codec;
        this.opener = opener;
        this.time = time;
    }

    /** Returns the slot of a name in each cluster. */
    int slot(String name) {
        return codec.keys().slot(name);
    }

    /** Returns the nodes that vote on a name. Before they are known it asks, and blocks for a node timeout. */
    GroupedNodes group(String name) {
        return groupOf(locators.shards(slot(name)));
    }

    /** Returns the shards that had a name when that was known last. */
    List<Optional<Shard>> lastShards(String name) {
        return locators.lastShards(slot(name));
    }

    private GroupedNodes groupOf(List<Optional<Shard>> shards) {
        GroupedNodes known = groups.get(shards);
        return known != null ? known : open(shards);
    }

    private synchronized GroupedNodes open(List<Optional<Shard>> shards) {
        GroupedNodes known = groups.get(shards);
        if (known != null) {
            return known;
        }
        if (groups.size() >= MOST_GROUPS) {
            throw new LockException("HF0315: the shards of the clusters in nodes overlap in more than " + MOST_GROUPS
                    + " ways: give each cluster the same slots on each of its shards");
        }
        GroupedNodes group = opener.apply(locators.connector(shards));
        group.onClockStoodStill(nanos -> clockStoodStill.accept(nanos));
        Map<List<Optional<Shard>>, GroupedNodes> more = new LinkedHashMap<>(groups);
        more.put(shards, group);
        groups = more;
        if (closed) {
            group.close();
        }
        return group;
    }

    int size() {
        return locators.addresses().size();
    }

    String address(int node) {
        return locators.addresses().get(node).toString();
    }

    @Override
    public NodeChannel open(WakeUp reads) {
        ShardedChannel channel = new ShardedChannel(this, reads, channels::remove);
        channels.add(channel);
        if (closed) {
            channel.close();
        }
        return channel;
    }

    @Override
    public void awaitAnswers(long deadline) {
        channels.forEach(channel -> channel.awaitAnswers(deadline));
    }

    @Override
    public ReleaseSubscriber subscriber(Executor threads) {
        ShardedSubscriber subscriber = new ShardedSubscriber(this, threads);
        subscribers.add(subscriber);
        return subscriber;
    }

    @Override
    public void onClockStoodStill(LongConsumer told) {
        clockStoodStill = told;
    }

    @Override
    public long nanosUntilLook() {
        return groups.values().stream()
                .mapToLong(GroupedNodes::nanosUntilLook)
                .min()
                .orElse(NodeGroup.LOOKS_NANOS);
    }

    /**
     * Looks at groups one after the other, until that takes long. What is left then, and groups that are not well, are
     * looked at by threads of their own: a node that hangs must not delay the looks at others.
     */
    @Override
    public void look() {
        long begun = time.nanoTime();
        List<GroupedNodes> wellFirst = groups.values().stream()
                .sorted(Comparator.comparing(GroupedNodes::isWell).reversed())
                .toList();
        for (GroupedNodes group : wellFirst) {
            boolean elsewhere = !group.isWell() || time.nanoTime() - begun > LONG_NANOS;
            group.claimLook()
                    .filter(look -> !elsewhere || !locators.runElsewhere(look))
                    .ifPresent(Runnable::run);
        }
    }

    @Override
    public void stopLooking() {
        groups.values().forEach(GroupedNodes::stopLooking);
    }

    /**
     * Begins to look at shards that are new, before a name leads there: so their quarantines end at the same time. Ends
     * groups whose shards have had no slot in common for a while: what was sent there has its answer by then.
     */
    @Override
    public void rearrange() {
        Set<List<Optional<Shard>>> wanted = locators.slots().stream()
                .map(locators::lastShards)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        wanted.forEach(this::groupOf);
        subscribers.forEach(ShardedSubscriber::rearrange);
        long now = time.nanoTime();
        groups.forEach((shards, group) -> {
            if (wanted.contains(shards)) {
                idle.remove(group);
            } else if (now - idle.computeIfAbsent(group, it -> now) > IDLE_NANOS) {
                end(shards, group);
            }
        });
    }

    private void end(List<Optional<Shard>> shards, GroupedNodes group) {
        forget(shards);
        idle.remove(group);
        group.stopLooking();
        group.close(); // before channels lose it: one that has just asked for it sees that it is closed
        channels.forEach(channel -> channel.end(group));
        subscribers.forEach(subscriber -> subscriber.end(group));
    }

    private synchronized void forget(List<Optional<Shard>> shards) {
        Map<List<Optional<Shard>>, GroupedNodes> fewer = new LinkedHashMap<>(groups);
        fewer.remove(shards);
        groups = fewer;
    }

    @Override
    public CheckReport check(long maxSkewMicros) {
        List<CheckReport> reports =
                allGroups().stream().map(group -> group.check(maxSkewMicros)).toList();
        if (IntStream.range(0, size()).anyMatch(locators::hasSlotsOfNoNode)) {
            locators.confirm(); // what is known may be of before this process stood still
        }
        List<CheckReport.Node> nodes =
                withSlotsOfNoNode(worst(reports.stream().map(CheckReport::nodes).toList()));
        String clockFault = reports.stream()
                .map(CheckReport::clockFault)
                .filter(fault -> !fault.isEmpty())
                .findFirst()
                .orElse("");
        return new CheckReport(nodes, clockFault);
    }

    /** Returns the groups that have all names; asks where the slots are if that is not known. */
    private List<GroupedNodes> allGroups() {
        if (locators.slots().isEmpty()) {
            locators.confirm();
        }
        List<Integer> slots = locators.slots().isEmpty() ? List.of(0) : locators.slots();
        return slots.stream()
                .map(locators::shards)
                .distinct()
                .map(this::groupOf)
                .toList();
    }

    @Override
    public void find(FoundLocks found, long longestNanos) {
        allGroups().forEach(group -> group.find(found, longestNanos));
    }

    @Override
    public List<Waiting> waiting(List<String> names) {
        Map<GroupedNodes, List<String>> byGroup = names.stream().collect(Collectors.groupingBy(this::group));
        Map<String, Waiting> byName = new HashMap<>();
        byGroup.forEach((group, some) -> {
            List<Waiting> waiting = group.waiting(some);
            for (int i = 0; i < some.size(); i++) {
                byName.put(some.get(i), waiting.get(i));
            }
        });
        return names.stream().map(byName::get).toList();
    }

    /** A cluster votes if all its shards do. */
    private List<CheckReport.Node> worst(List<List<CheckReport.Node>> groups) {
        return IntStream.range(0, size())
                .mapToObj(node -> groups.stream()
                        .map(group -> group.get(node))
                        .max(Comparator.comparing(CheckReport.Node::state).thenComparing(CheckReport.Node::quarantine))
                        .orElseGet(() -> unknown(node)))
                .toList();
    }

    private CheckReport.Node unknown(int node) {
        return new CheckReport.Node(
                address(node), CheckReport.State.UNUSABLE, "its shards are not known yet", Duration.ZERO);
    }

    /**
     * Returns the groups to which names lead, by what is known now and was known last; all of them, before any is known
     * to. Others wait for their end, and no request goes there.
     */
    private Stream<GroupedNodes> led() {
        Map<List<Optional<Shard>>, GroupedNodes> present = groups;
        Set<GroupedNodes> led = locators.slots().stream()
                .flatMap(slot -> Stream.of(locators.knownShards(slot), locators.lastShards(slot)))
                .map(present::get)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return led.isEmpty() ? present.values().stream() : led.stream();
    }

    @Override
    public List<CheckReport.Node> known() {
        return withSlotsOfNoNode(worst(led().map(LockNodes::known).toList()));
    }

    private List<CheckReport.Node> withSlotsOfNoNode(List<CheckReport.Node> worst) {
        return IntStream.range(0, size())
                .mapToObj(
                        node -> locators.hasSlotsOfNoNode(node) ? withSlotsOfNoNode(worst.get(node)) : worst.get(node))
                .toList();
    }

    private static CheckReport.Node withSlotsOfNoNode(CheckReport.Node known) {
        return known.state() == CheckReport.State.UNUSABLE
                ? known
                : new CheckReport.Node(
                        known.address(),
                        CheckReport.State.UNUSABLE,
                        "its cluster does not say now which node has some of its slots",
                        Duration.ZERO);
    }

    @Override
    public Map<String, String> describeNodes() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (int node = 0; node < size(); node++) {
            int which = node;
            reasons.put(
                    address(node),
                    led().map(group -> group.describeNode(which))
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining("; ")));
        }
        return reasons;
    }

    @Override
    public void close() {
        closed = true;
        channels.forEach(ShardedChannel::close);
        groups.values().forEach(GroupedNodes::close);
    }
}
