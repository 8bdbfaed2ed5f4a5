// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.util.List;
import java.util.stream.IntStream;
import org.holdfast.CheckReport;
import org.holdfast.LockConnectionFactory;
import org.holdfast.example.demo.process.RedisNode;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.Node;
import org.holdfast.example.demo.state.DemoState.NodeView;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.DemoState.Vote;
import org.holdfast.example.demo.state.Journal;

/** Looks at all nodes through Holdfast. {@link #look} is called by one thread. */
public final class NodeWatch {

    /** The end of a quarantine is computed at each look; smaller differences are of the computation. */
    private static final long SAME_MILLIS = 100;

    private final LockConnectionFactory locks;
    private final List<RedisNode> nodes;
    private final Clock clock;
    private final Journal journal;
    private volatile List<Seen> seen;

    /** What the last look at a node found. */
    private record Seen(Vote vote, NodeView view, String reason, Long until) {

        static final Seen NOTHING = new Seen(Vote.UNKNOWN, NodeView.UNREACHABLE, "not looked at yet", null);
    }

    public NodeWatch(LockConnectionFactory locks, List<RedisNode> nodes, Clock clock, Journal journal) {
        this.locks = locks;
        this.nodes = nodes;
        this.clock = clock;
        this.journal = journal;
        this.seen = nodes.stream().map(node -> Seen.NOTHING).toList();
    }

    public void look() {
        List<CheckReport.Node> report = locks.check().nodes();
        long now = clock.now();
        List<Seen> before = seen;
        seen = IntStream.range(0, nodes.size())
                .mapToObj(i -> see(nodes.get(i), report.get(i), before.get(i), now))
                .toList();
        for (int i = 0; i < nodes.size(); i++) {
            note(nodes.get(i), before.get(i), seen.get(i));
        }
    }

    private static Seen see(RedisNode node, CheckReport.Node report, Seen before, long now) {
        return switch (report.state()) {
            case VOTES -> new Seen(Vote.YES, NodeView.VOTING, "", null);
            case QUARANTINED -> {
                long until = now + report.quarantine().toMillis();
                boolean same = before.until() != null && Math.abs(until - before.until()) < SAME_MILLIS;
                yield new Seen(
                        Vote.NO,
                        NodeView.QUARANTINE,
                        withoutTime(report.cause()),
                        same ? before.until() : Long.valueOf(until));
            }
            // A machine that is too busy to look says nothing about the node
            case UNUSABLE ->
                report.cause().startsWith("this process ")
                        ? before
                        : new Seen(Vote.NO, view(node, report.cause()), withoutTime(report.cause()), null);
        };
    }

    private static NodeView view(RedisNode node, String cause) {
        return node.state() == ProcessState.RUNNING && !isSilence(cause) ? NodeView.REFUSED : NodeView.UNREACHABLE;
    }

    /** The page has a clock for that. */
    private static String withoutTime(String cause) {
        return cause.replaceFirst("in quarantine for another \\d+ ms: ", "in quarantine: ")
                .replaceFirst(", (suspected|refused|doubted) for \\d+ ms$", "");
    }

    private static boolean isSilence(String cause) {
        return cause.contains("no answer") || cause.contains("timed out") || cause.contains("Connection refused");
    }

    private void note(RedisNode node, Seen before, Seen now) {
        if (before.view() == now.view() && before.vote() == now.vote()) {
            return;
        }
        switch (now.view()) {
            case VOTING -> journal.info(Kind.NODE, node.name() + " votes");
            case QUARANTINE -> journal.warn(Kind.NODE, node.name() + " has no vote yet, " + now.reason());
            case UNREACHABLE, REFUSED -> journal.bad(Kind.NODE, node.name() + " has no vote: " + now.reason());
        }
    }

    /** Returns the nodes as they were seen last. */
    public List<Node> nodes() {
        List<Seen> now = seen;
        return IntStream.range(0, nodes.size())
                .mapToObj(i -> describe(nodes.get(i), now.get(i)))
                .toList();
    }

    private static Node describe(RedisNode node, Seen seen) {
        return new Node(
                node.index(),
                node.address(),
                node.pid(),
                node.state(),
                seen.vote(),
                seen.view(),
                seen.reason(),
                seen.until());
    }
}
