// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.cluster.NodeView;
import org.holdfast.redis.wire.NodeConnector;

/** Opens the room's door a little for the simulation: clusters are asked without connections. */
public final class LocatorsBridge {

    private LocatorsBridge() {}

    /** Asks nodes for {@code CLUSTER NODES}. */
    public interface Asker {

        /** Returns what those answer that do so in time. */
        Map<HostPort, String> ask(List<HostPort> places);
    }

    /** Returns locators of clusters, which are asked in this way. */
    public static Locators locators(
            List<VoterAddress> addresses,
            NodeConnector connector,
            Duration counts,
            Duration hearing,
            Asker asker,
            double driftFactor,
            Time time) {
        return new Locators(
                addresses,
                connector,
                new Locators.ClusterPatience(counts, hearing),
                () -> new Asked(asker),
                driftFactor,
                time);
    }

    private static final class Asked implements Hearing<NodeView> {

        private final Asker asker;
        private boolean asking;

        Asked(Asker asker) {
            this.asker = asker;
        }

        @Override
        public void run(long deadline, Question question) {
            if (asking) {
                return; // another thread asks for so long that there is no time left
            }
            asking = true;
            Runnable after;
            try {
                after = question.ask();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } finally {
                asking = false;
            }
            after.run();
        }

        @Override
        public List<NodeView> ask(
                Collection<? extends Witness<NodeView>> witnesses, long deadline, Predicate<List<NodeView>> suffices) {
            Map<HostPort, Witness<NodeView>> byPlace = witnesses.stream()
                    .collect(Collectors.toMap(
                            Witness::place, witness -> witness, (one, other) -> one, LinkedHashMap::new));
            return asker.ask(List.copyOf(byPlace.keySet())).entrySet().stream()
                    .map(said -> byPlace.get(said.getKey())
                            .understand(List.of(said.getValue().getBytes(StandardCharsets.UTF_8))))
                    .toList();
        }

        @Override
        public void abandon(List<NodeView> testimonies) {
            // there are no connections
        }

        @Override
        public String heard() {
            return "";
        }

        @Override
        public void close() {
            // there are no connections
        }
    }
}
