// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.holdfast.history.History;
import org.holdfast.history.HistoryCheck;
import org.holdfast.history.Verdict;
import org.holdfast.history.Write;

/** Nodes, clients, wires between each two, and the resource that the locks protect. */
final class Deployment implements AutoCloseable {

    private static final int CLIENTS = 2;

    /** A history of so many holds is decided in a moment. */
    private static final int SHORT = 100_000;

    private final Path directory;
    private final Plan plan;
    private final List<Node> nodes = new ArrayList<>();
    private final ClientProcess[] clients = new ClientProcess[CLIENTS];
    private final List<ClientProcess> all = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final Observations observations = new Observations();
    private final FencedResource resource;
    private Verdict decided = new Verdict(0, 0, Map.of(), List.of());

    /**
     * How it is set up; a check must find the faults of one that is not as it should be.
     *
     * @param nodes how many
     * @param habit how clients deal with their leases
     * @param guard the setting of that name
     * @param fenced whether the resource refuses tokens that are smaller than the last
     * @param durable whether nodes write to the disk before they answer, and clients are told so
     * @param load how much clients do
     */
    record Plan(int nodes, Habit habit, String guard, boolean fenced, boolean durable, Load load) {

        Plan(int nodes, Habit habit, String guard, boolean fenced, boolean durable) {
            this(nodes, habit, guard, fenced, durable, Load.USUAL);
        }

        static Plan sound(int nodes) {
            return new Plan(nodes, Habit.HONEST, "QUARANTINE", true, false);
        }

        static Plan durable(int nodes) {
            return new Plan(nodes, Habit.HONEST, "QUARANTINE", true, true);
        }

        Plan under(Load other) {
            return new Plan(nodes, habit, guard, fenced, durable, other);
        }
    }

    /**
     * How much clients do.
     *
     * @param callers threads of each client
     * @param names nearly all locks that they take have one of so many names, and the others are those that all of them
     *     want; 0 for none
     */
    record Load(int callers, int names) {

        static final Load USUAL = new Load(4, 0);
    }

    Deployment(Path directory, Plan plan) {
        this.directory = directory;
        this.plan = plan;
        this.resource = new FencedResource(plan.fenced());
        try {
            for (int node = 0; node < plan.nodes(); node++) {
                nodes.add(new Node(directory, plan.durable() ? "always" : "everysec"));
            }
            for (int client = 0; client < CLIENTS; client++) {
                addresses.add(nodes.stream()
                        .map(node -> node.newWire().uri() + (plan.durable() ? "?durable=true" : ""))
                        .collect(Collectors.joining(",")));
                startClient(client);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void startClient(int client) {
        clients[client] = new ClientProcess(
                all.size(),
                observations,
                plan,
                resource.port(),
                addresses.get(client),
                directory.resolve("client-" + all.size() + ".log"));
        all.add(clients[client]);
    }

    List<Node> nodes() {
        return nodes;
    }

    List<ClientProcess> clients() {
        return List.of(clients);
    }

    Observations observations() {
        return observations;
    }

    /** Returns some of the nodes, at least one. */
    List<Node> anyNodes(Random random) {
        List<Node> chosen = new ArrayList<>(nodes);
        Collections.shuffle(chosen, random);
        return chosen.subList(0, 1 + random.nextInt(chosen.size()));
    }

    /** Returns any majority of the wires of a client. */
    List<Wire> majority(int client, Random random) {
        List<Wire> chosen = new ArrayList<>();
        nodes.forEach(node -> chosen.add(node.wire(client)));
        Collections.shuffle(chosen, random);
        return chosen.subList(0, nodes.size() / 2 + 1);
    }

    /** Kills a client and starts another one in its place. */
    void replaceClient(int client) throws InterruptedException {
        clients[client].kill();
        startClient(client);
    }

    /** Ends all that was done to it. */
    void heal() {
        nodes.forEach(Node::heal);
        clients().forEach(ClientProcess::resume);
    }

    /** Returns what was seen so far. Clients must run. */
    History history() throws InterruptedException {
        List<Write> writes = resource.writes();
        for (ClientProcess client : clients) {
            if (client.heapBytes() < 0) { // what came before these writes is not known otherwise
                throw new IllegalStateException("client " + client.number() + " does not answer");
            }
        }
        return observations.history(writes);
    }

    /**
     * Decides what was seen so far, from the start. A long history is decided anew when it has grown by a tenth: each
     * round would take longer than the one before.
     */
    Verdict verdict() throws InterruptedException {
        long count = observations.count();
        if (count < SHORT || count - decided.holds() > decided.holds() / 10) {
            decided = HistoryCheck.decide(history());
        }
        return decided;
    }

    /** Returns how long callers were not told of the ends of their leases, at the most, while their process ran. */
    long slowestNoticeNanos() {
        long slowest = 0;
        for (Report.Lost lost : observations.losses()) {
            boolean stoodStill = all.stream()
                    .filter(client -> client.isOf(lost.caller()))
                    .anyMatch(client -> client.stoodStill(lost.validUntil(), lost.told()));
            slowest = stoodStill ? slowest : Math.max(slowest, lost.told() - lost.validUntil());
        }
        return slowest;
    }

    @Override
    public void close() {
        for (ClientProcess client : all) {
            try {
                client.kill();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        nodes.forEach(Node::close);
        resource.close();
    }
}
