// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.NodeView.Primary;

/** What nodes of a cluster answer, and what one client makes of it. */
final class ClusterViews {

    static final Duration COUNTS = Duration.ofSeconds(7);
    static final Duration ROUND = Duration.ofSeconds(2);

    final VirtualTime time = new VirtualTime();
    final ClusterMap map = new ClusterMap(time, COUNTS, ROUND, 0.01);

    static Primary primary(String id, int first, int last, long epoch) {
        BitSet slots = new BitSet();
        slots.set(first, last + 1);
        return new Primary(id, Optional.of(new HostPort("10.0.0.1", 7_000)), slots, epoch, false);
    }

    static Primary failed(Primary one) {
        return new Primary(one.id(), one.place(), one.slots(), one.epoch(), true);
    }

    static final Primary A = primary("a", 0, 9, 1);
    static final Primary B = primary("b", 10, 19, 2);
    static final Primary C = primary("c", 20, 29, 3);

    /** The next node of the slots of A. */
    static final Primary R = primary("r", 0, 9, 4);

    /** A primary without slots. */
    static final Primary EMPTY = new Primary("e", Optional.of(new HostPort("10.0.0.1", 7_000)), new BitSet(), 0, false);

    static NodeView view(Primary node, Primary... others) {
        List<Primary> all = Stream.concat(Stream.of(node), Stream.of(others))
                .filter(one -> one != EMPTY)
                .toList();
        return new NodeView(node.id(), ids(all), all, new BitSet());
    }

    /** All know R, which may be a replica. */
    static Set<String> ids(List<Primary> primaries) {
        return Stream.concat(primaries.stream().map(Primary::id), Stream.of("r"))
                .collect(Collectors.toSet());
    }

    /** Returns what a node says that knows primaries without slots. */
    static NodeView beside(Primary empty, NodeView view) {
        return new NodeView(
                view.node(), view.members(), view.primaries(), List.of(empty), view.moving(), view.coming());
    }

    /** The client has asked, and these have answered. */
    List<ClusterMap.Move> confirm(NodeView... views) {
        return map.confirm(List.of(views), time.nanoTime(), time.epochMicros());
    }
}
