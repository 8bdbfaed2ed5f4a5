// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.LockRequest;
import org.holdfast.protocol.Agreement;
import org.holdfast.protocol.Agreements;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Timing;

/** One run: a world from a seed, faults while clients work, then peace, in which everything must come right. */
public final class Simulation {

    /** Kept, so that its level is: leases are lost by the thousand here, and each would be told in the log. */
    private static final java.util.logging.Logger LOST =
            java.util.logging.Logger.getLogger("org.holdfast.protocol.LeaseManager");

    static {
        LOST.setLevel(java.util.logging.Level.OFF);
    }

    private static final long MILLI = 1_000_000L;
    private static final long TROUBLE = 3_000 * MILLI;
    private static final long PEACE = TROUBLE + 500 * MILLI;
    private static final Duration MAX_TTL = Duration.ofSeconds(2);
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(50);
    private static final double DRIFT = 0.01;
    private static final Timing TIMING = new Timing(
            NODE_TIMEOUT, MAX_TTL, Duration.ofSeconds(10), DRIFT, Duration.ofSeconds(1), Duration.ofMillis(300));
    private static final Agreements AGREEMENTS = new Agreements(
            new Agreement(MAX_TTL.toMillis(), TIMING.fenceRetention().toMillis(), DRIFT));

    private final World world;
    private final Random random;
    private final Checker checker;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Network network;
    private final Habits habits;
    private final int faults;
    private final boolean calm;
    private int unserved;

    private Simulation(long seed, SimulatedRedis.Lua lua) {
        this.world = new World(seed);
        this.random = world.random;
        this.checker = new Checker(world, DRIFT);
        int count = random.nextBoolean() ? 3 : 5;
        for (int node = 0; node < count; node++) {
            boolean persistent = random.nextInt(4) == 0;
            nodes.add(new SimulatedNode(world, node, lua, clockRate(), persistent, AGREEMENTS));
        }
        long meanDelay = MILLI / 2 * List.of(1, 4, 30).get(random.nextInt(3));
        double breaks = List.of(0.0, 0.03, 0.15).get(random.nextInt(3));
        this.habits = Habits.draw(random);
        boolean quiet = breaks == 0 && meanDelay <= 2 * MILLI;
        this.faults = quiet && random.nextBoolean() ? 0 : random.nextInt(10);
        this.calm = quiet && faults == 0;
        Turns turns = new Turns(world, count, calm);
        this.network = new Network(world, nodes, meanDelay, breaks, NODE_TIMEOUT.toNanos(), AGREEMENTS, turns);
        for (int client = 0; client < 3; client++) {
            SimulatedTime time =
                    new SimulatedTime(world, clockRate(), random.nextLong() / 4, random.nextInt(2_000_000) - 1_000_000);
            clients.add(new Client(world, network, checker, "client-" + client, TIMING, habits, time, count));
        }
    }

    /** Rates differ by less than the bound between any two machines. */
    private double clockRate() {
        return 1 + (random.nextDouble() - 0.5) * DRIFT * 0.9;
    }

    /** What a run saw, if it saw nothing wrong. */
    public record Result(int acquisitions, int losses) {}

    /**
     * Runs one seed.
     *
     * @throws AssertionError if a promise is broken
     */
    public static Result run(long seed) {
        return new Engine().run(seed);
    }

    /** Runs seeds one after another and keeps what is compiled. For one thread. */
    public static final class Engine {

        private final SimulatedRedis.Lua lua = new SimulatedRedis.Lua();

        public Result run(long seed) {
            Simulation simulation = new Simulation(seed, lua);
            try {
                return simulation.run();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
    }

    private Result run() throws Throwable {
        long busy = habits.isBrisk() ? TROUBLE / 2 : TROUBLE; // as much happens in half of the time
        clients.forEach(client -> client.start(busy));
        for (int fault = 0; fault < faults; fault++) {
            world.at((long) (random.nextDouble() * TROUBLE), this::fault);
        }
        world.at(TROUBLE, network::calmDown);
        world.at(PEACE, this::beginPeace);
        world.run(PEACE + within().toNanos() + 2_000 * MILLI);
        checkKeys();
        clients.forEach(Client::checkForgotten);
        if (calm && checker.losses() > 0) {
            throw new Violation("4: " + checker.losses() + " leases were lost though nothing went wrong");
        }
        return new Result(checker.acquisitions(), checker.losses());
    }

    private void beginPeace() {
        List<LockRequest> requests = habits.requests();
        unserved = requests.size() * clients.size();
        for (Client client : clients) {
            requests.forEach(request -> client.mustSucceed(request, within(), this::served));
            habits.stream().ifPresent(shape -> client.keepBusy(shape, () -> unserved > 0));
        }
    }

    /** When all have been, nothing more happens than that what is left goes away. */
    private void served() {
        unserved--;
        if (unserved == 0) {
            world.endAt(world.now() + 2_000 * MILLI);
        }
    }

    /** Returns within what time everybody gets what he asks for when all ask at once. */
    private Duration within() {
        int requests = habits.requests().size() * clients.size();
        return MAX_TTL.plusSeconds(2).plusMillis(requests * 200L);
    }

    private void checkKeys() {
        for (SimulatedNode node : nodes) {
            if (!node.keysWithoutTtl().isEmpty()) {
                throw new Violation("4: keys without a time to live: " + node.keysWithoutTtl());
            }
        }
    }

    /** Ends within the time of trouble. */
    private long duration() {
        return (long) (random.nextDouble() * Math.min(1_500 * MILLI, TROUBLE - world.now()));
    }

    private void fault() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        Client client = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(12)) {
            case 0, 5, 9 -> node.crash(random.nextBoolean() ? duration() : duration() / 50);
            case 6 -> node.flush();
            case 1 -> node.pause(duration());
            case 2 -> client.machine.pausedUntil = world.now() + duration();
            case 3 -> {
                client.view.cutOffUntil = world.now() + duration();
                client.view.cutOff = new NodeSet(random.nextLong());
            }
            case 4, 7 -> node.stepClock();
            case 8 -> node.evict(TROUBLE - world.now());
            default -> client.time.setWall((random.nextInt(2_000) - 1_000) * 1_000L);
        }
    }
}
