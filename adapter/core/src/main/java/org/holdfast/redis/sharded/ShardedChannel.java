// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.sharded;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Round;
import org.holdfast.redis.GroupedNodes;
import org.holdfast.redis.NodeChannel;
import org.holdfast.redis.script.CommandName;

/** Connections to the nodes that vote on each name. Safe for use by any number of threads. */
final class ShardedChannel implements NodeChannel {

    private final ShardedNodes nodes;
    private final WakeUp reads;
    private final Consumer<ShardedChannel> onClose;
    private final Map<GroupedNodes, NodeChannel> channels = new ConcurrentHashMap<>();
    private volatile boolean closed;

    ShardedChannel(ShardedNodes nodes, WakeUp reads, Consumer<ShardedChannel> onClose) {
        this.nodes = nodes;
        this.reads = reads;
        this.onClose = onClose;
    }

    private NodeChannel channel(Command command) {
        String name = CommandName.of(command);
        GroupedNodes group = nodes.group(name);
        NodeChannel channel = channel(group);
        if (group.isClosed()) { // it had no names any more, and has ended in this moment
            end(group);
            return channel(nodes.group(name));
        }
        return channel;
    }

    private NodeChannel channel(GroupedNodes group) {
        NodeChannel channel = channels.computeIfAbsent(group, it -> it.open(reads));
        if (closed) {
            channel.close();
        }
        return channel;
    }

    /** Its group has no names any more. */
    void end(GroupedNodes group) {
        NodeChannel channel = channels.remove(group);
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public int count() {
        return nodes.size();
    }

    @Override
    public String address(int node) {
        return nodes.address(node);
    }

    /** Where a name leads is known when it is used: connections that are there are checked. */
    @Override
    public void prepare() {
        channels.values().forEach(NodeChannel::prepare);
    }

    @Override
    public void requireTogether(List<String> names) {
        Map<Integer, String> bySlot = names.stream()
                .collect(Collectors.toMap(nodes::slot, name -> name, (one, other) -> one, LinkedHashMap::new));
        if (bySlot.size() > 1) {
            throw new InvalidLockRequestException(
                    "names that are taken together must be in one slot of a Redis Cluster,"
                            + " or one shard could have some of them while another has not: " + bySlot.values()
                            + " are in the slots " + bySlot.keySet()
                            + ". Begin them with the same word in braces, such as {order-7}stock and {order-7}money");
        }
    }

    @Override
    public Object route(Command command) {
        return nodes.lastShards(CommandName.of(command));
    }

    @Override
    public boolean isClockSkewed(long wallMicros, long limitMicros) {
        return channels.values().stream().anyMatch(channel -> channel.isClockSkewed(wallMicros, limitMicros));
    }

    @Override
    public Round send(Command command, NodeSet targets) {
        return channel(command).send(command, targets);
    }

    @Override
    public List<Round> sendAll(List<? extends Command> commands, NodeSet targets) {
        Map<NodeChannel, List<Integer>> byChannel = new LinkedHashMap<>();
        for (int i = 0; i < commands.size(); i++) {
            byChannel
                    .computeIfAbsent(channel(commands.get(i)), it -> new ArrayList<>())
                    .add(i);
        }
        Round[] rounds = new Round[commands.size()];
        byChannel.forEach((channel, places) -> {
            List<Round> sent =
                    channel.sendAll(places.stream().map(commands::get).toList(), targets);
            for (int i = 0; i < sent.size(); i++) {
                rounds[places.get(i)] = sent.get(i);
            }
        });
        return Arrays.asList(rounds);
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isUsable() {
        channels.values().forEach(NodeChannel::isUsable);
        return !closed;
    }

    @Override
    public void awaitAnswers(long deadline) {
        channels.values().forEach(channel -> channel.awaitAnswers(deadline));
    }

    @Override
    public void close() {
        closed = true;
        onClose.accept(this);
        channels.values().forEach(NodeChannel::close);
    }

    @Override
    public void close(long deadline) {
        closed = true;
        onClose.accept(this);
        channels.values().forEach(channel -> channel.close(deadline));
    }
}
