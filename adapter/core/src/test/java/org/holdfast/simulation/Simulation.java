// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.memory.LuaInterpreter;
import org.holdfast.protocol.guard.NodeFacts;

/** One run: a world from a seed, faults while clients work, then peace, in which everything must come right. */
public final class Simulation {

    private static final long MILLI = 1_000_000L;

    /** So long after the last caller was served everything is gone: a last lease, then a sweep, which comes in 1 s. */
    private static final long AFTERMATH = 3_000 * MILLI;

    private static final int CLIENTS = 3;

    /** Each run after so many has a latch too. */
    private static final int LATCH_EVERY = 5;

    /** In each world after so many, from the second one on, clients do not wait for the nodes when they release. */
    private static final int HASTY_EVERY = 8;

    /** In one of so many worlds connections go through proxies, and outlive the processes behind these. */
    private static final int PROXIED_EVERY = 6;

    /** In one of so many of these a client never comes back. */
    private static final int DYING_EVERY = 10;

    private static final long LITTLE_MICROS = 200_000;

    private static final Duration AFTER_A_CLOCK_WAS_SET = Duration.ofMillis(8_500);

    private final World world;
    private final Random random;
    private final Setting setting;
    private final Suspensions suspensions;
    private final Checker checker;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedVoter> voters = new ArrayList<>();
    private final List<SimulatedCluster> clusters = new ArrayList<>();
    private final List<SimulatedNode> processes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Network network;
    private final Habits habits;
    private final Trouble faults;
    private final Optional<LatchUsers> latchUsers;
    private int unserved;

    /**
     * @param trouble how long things go wrong, in nanoseconds
     * @param latched whether there is a latch too
     */
    private Simulation(
            long seed, World world, Setting setting, Habits habits, long trouble, boolean latched, LuaInterpreter lua) {
        this.world = world;
        this.random = world.random;
        this.setting = setting;
        this.suspensions = new Suspensions(world);
        this.checker = new Checker(world, setting, suspensions, new Backing(world, setting.areNodesWell(), nodes));
        this.habits = habits;
        if (setting.isClustered()) {
            buildClusters(lua);
        } else {
            buildNodes(lua);
        }
        Turns turns = new Turns(world, setting.nodes(), setting.isCalm());
        boolean proxied = !setting.isMoving() && new Random(~seed).nextInt(PROXIED_EVERY) == 0;
        this.network = new Network(world, nodes, voters, setting, turns, proxied);
        if (!setting.isClustered()) {
            buildStandbys(lua);
        }
        for (int client = 0; client < CLIENTS; client++) {
            SimulatedTime time = new SimulatedTime(
                    world, setting.clockRate(random), random.nextLong() / 4, setting.wallErrorMicros(random));
            clients.add(new Client(world, network, checker, "client-" + client, habits, time, setting, clusters));
        }
        this.faults = new Trouble(world, setting, trouble, nodes, voters, clusters, clients, habits, suspensions);
        this.latchUsers =
                latched ? Optional.of(new LatchUsers(world, seed, setting, clients, nodes)) : Optional.empty();
    }

    private static Simulation of(long seed, String only, LuaInterpreter lua) {
        World world = new World(seed);
        Setting setting = Setting.draw(world.random, only);
        Habits habits = Habits.draw(world.random, setting.timing().maxLeaseTtl(), setting.shapes());
        if (seed % HASTY_EVERY == 1) {
            habits = habits.hasty();
        }
        boolean latched =
                seed % LATCH_EVERY == 0 && only.isEmpty() && setting.survival().isEmpty();
        return new Simulation(seed, world, setting, habits, setting.troubleNanos(), latched, lua);
    }

    private void buildNodes(LuaInterpreter lua) {
        long[] steps = setting.drawClockSteps(random);
        for (int node = 0; node < setting.nodes(); node++) {
            boolean persistent = setting.survival().isEmpty() && random.nextInt(4) == 0 && !setting.isMoving();
            nodes.add(build(node, lua, setting.clockRate(random), steps[node], persistent));
            haveBeenUsed(nodes.get(node));
        }
    }

    private SimulatedNode build(int node, LuaInterpreter lua, double rate, long clockStep, boolean persistent) {
        long quarantine = setting.timing().maxLeaseTtl().toNanos();
        NodeChecker watcher =
                new NodeChecker(world, checker, quarantine, setting.forgottenAheadMicros(), setting.unusedMicros());
        SimulatedNode process = new SimulatedNode(world, node, lua, rate, clockStep, persistent, watcher);
        processes.add(process);
        return process;
    }

    private void haveBeenUsed(SimulatedNode node) {
        node.probes.haveBeenUsed(
                setting.acceptedSettings(),
                setting.isMoving()
                        ? Optional.of(new NodeFacts.Appointment(1, 0, 0, NodeFacts.Namer.SENTINELS))
                        : Optional.empty(),
                SimulatedNode.KEYS);
    }

    private void buildClusters(LuaInterpreter lua) {
        String name = Shape.PLAIN.request(0, 1).names().get(0);
        for (int voter = 0; voter < setting.nodes(); voter++) {
            SimulatedCluster cluster = buildCluster(voter, voter, name, lua);
            clusters.add(cluster);
            nodes.add(cluster.owner().process);
            if (setting.kinds().contains(Fault.ADDRESSES_OF_ANOTHER)) {
                cluster.beBeside(buildCluster(setting.nodes() + voter, voter, name, lua));
            }
        }
    }

    private SimulatedCluster buildCluster(int number, int voter, String name, LuaInterpreter lua) {
        return new SimulatedCluster(world, number, setting, name, durable -> {
            SimulatedNode process = build(voter, lua, setting.clockRate(random), 0, durable);
            process.clock.push(harmlessError(durable ? mostMicros() : LITTLE_MICROS));
            return process;
        });
    }

    /** Clocks also drift apart, for half a minute at the most. */
    private long mostMicros() {
        long drifted = (long) (setting.timing().driftFactor() * 30_000_000);
        return Math.max(LITTLE_MICROS, setting.harmlessErrorMicros() - drifted);
    }

    /** The clocks of processes that take each other's place differ, so much at the most. */
    private long harmlessError(long mostMicros) {
        long error = Math.min(mostMicros, setting.harmlessErrorMicros());
        return (long) ((random.nextDouble() * 2 - 1) * error);
    }

    private void buildStandbys(LuaInterpreter lua) {
        for (int node = 0; setting.isMoving() && node < nodes.size(); node++) {
            boolean beside = setting.isOnOneMachine();
            double rate = beside ? nodes.get(node).clock.rate() : setting.clockRate(random);
            SimulatedNode standby = build(node, lua, rate, 0, false);
            haveBeenUsed(standby);
            standby.standBy(beside ? 0 : harmlessError(LITTLE_MICROS));
            network.hear(node, standby);
            voters.add(new SimulatedVoter(
                    world, nodes.get(node), standby, Whereabouts.counts(setting).toNanos()));
        }
    }

    /**
     * What a run saw, if it saw nothing wrong.
     *
     * @param heard of how many releases clients have heard, in clusters
     */
    public record Result(int acquisitions, int losses, int heard) {}

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

        private final LuaInterpreter lua = new LuaInterpreter();
        private final String only;

        /** Runs worlds with all faults, or those that the system property {@code simulation.only} names. */
        public Engine() {
            this(System.getProperty("simulation.only", ""));
        }

        /** @param only names of the only faults there are */
        public Engine(String only) {
            this.only = only;
        }

        public Result run(long seed) {
            Simulation simulation = Simulation.of(seed, only, lua);
            try {
                return simulation.run();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed + ": " + e + "; " + simulation, e);
            }
        }
    }

    /**
     * Runs a world in which only that happens which a model of the protocol has.
     *
     * @param lenient whether the trace ends where the simulation finds a broken promise
     * @return its trace in TLA+
     */
    static String trace(long seed, Modelled modelled, boolean lenient, LuaInterpreter lua) throws Throwable {
        World world = new World(seed);
        Setting setting = Setting.drawModelled(world.random, modelled);
        Habits habits = Habits.drawModelled(world.random, setting.timing().maxLeaseTtl(), modelled);
        Simulation simulation = new Simulation(seed, world, setting, habits, modelled.troubleNanos(), false, lua);
        String lock = habits.requests().get(0).name();
        Recording recording = modelled.isMoving()
                ? new VoterRecorder(world, setting, lock, simulation.voters.get(0), simulation.clients)
                : new TraceRecorder(world, setting, lock, simulation.nodes, simulation.clients, modelled);
        world.observe(recording);
        try {
            simulation.liveBriefly(modelled.troubleNanos(), seed % DYING_EVERY == 0 && !modelled.isMoving());
        } catch (Throwable e) {
            if (!lenient) {
                throw new AssertionError("seed " + seed + ": " + e + "; " + simulation, e);
            }
        }
        return recording.text("seed " + seed);
    }

    /** Describes the world and what went wrong in it. */
    @Override
    public String toString() {
        return setting + ", " + habits + ", faults " + faults + (clusters.isEmpty() ? "" : ", clusters " + clusters);
    }

    private Result run() throws Throwable {
        try {
            live();
        } catch (Throwable e) {
            checker.decide(); // what the clients saw until then may say more
            throw e;
        }
        checker.decide();
        return new Result(checker.acquisitions(), checker.losses(), network.releasesHeard());
    }

    private void live() throws Throwable {
        long trouble = setting.troubleNanos();
        long peace = trouble + 500 * MILLI;
        long busy = habits.isBrisk() ? trouble / 2 : trouble; // as much happens in half of the time
        long from = setting.survival().isPresent() ? 300 * MILLI : 0;
        clients.forEach(client -> start(client, from, busy));
        setting.survival().ifPresent(this::holdThrough);
        faults.begin();
        latchUsers.ifPresent(users -> users.begin(trouble));
        world.at(trouble, network::calmDown);
        world.at(peace, this::beginPeace);
        world.run(peace + within().toNanos() + AFTERMATH);
        checkKeys();
        clients.forEach(Client::checkForgotten);
        if (setting.isCalm() && checker.losses() > 0) {
            throw new Violation("4: " + checker.losses() + " leases were lost though nothing went wrong");
        }
    }

    /** @param dying whether the last client that gets the lock stands still until the key of that has gone */
    private void liveBriefly(long trouble, boolean dying) throws Throwable {
        clients.forEach(client -> client.start(0, trouble));
        faults.begin();
        long end = trouble + AFTERMATH / 4;
        if (dying) {
            Client last = clients.get(0);
            world.at(end, last::tryOnce);
            world.at(end + 20 * MILLI, () -> last.machine.pause(Long.MAX_VALUE / 2));
            end += setting.acceptedSettings().widest().linger().toNanos() + AFTERMATH / 2;
            world.at(end, clients.get(1)::tryOnce);
            end += AFTERMATH / 4;
        }
        world.run(end);
    }

    /** Every few of them starts when others have worked for long, and knows nothing of the nodes' clocks before. */
    private void start(Client client, long from, long until) {
        if (setting.survival().isEmpty() && random.nextInt(6) == 0) {
            world.at((long) (random.nextDouble() * until), () -> client.start(from, until));
        } else {
            client.start(from, until);
        }
    }

    /** A client has a lock that others wait for, in whatever way, and keeps it through what it must survive. */
    private void holdThrough(Survival survival) {
        LockRequest request = habits.anyShape(random)
                .request(0, habits.permits())
                .waitTimeout(Duration.ZERO)
                .ttl(survival.ttl())
                .scope(LeaseScope.DETACHED);
        world.at(50 * MILLI, () -> clients.get(0).holdThrough(request, setting.troubleNanos()));
        survival.begin(world, setting, nodes);
    }

    private void beginPeace() {
        List<LockRequest> requests = habits.requests();
        unserved = requests.size() * clients.size() + (latchUsers.isPresent() ? 1 : 0);
        latchUsers.ifPresent(users -> users.beginPeace(within(), this::served));
        for (Client client : clients) {
            requests.forEach(request -> client.mustSucceed(request, within(), this::served));
            habits.stream().ifPresent(shape -> client.keepBusy(shape, () -> unserved > 0));
        }
    }

    /** When all have been, nothing more happens than that what is left goes away. */
    private void served() {
        unserved--;
        if (unserved == 0) {
            world.endAt(world.now() + AFTERMATH);
        }
    }

    /**
     * Returns within what time each client gets what it asks for when all ask at once. A clock that was set back counts
     * for nothing at first, and then is to be watched; and a lock that lasts too long by it is cut.
     */
    private Duration within() {
        int requests = habits.requests().size() * clients.size();
        Duration quarantine = setting.timing().maxLeaseTtl();
        Duration kept = habits.shapes().contains(Shape.KEPT) ? quarantine : Duration.ZERO;
        Duration settling = setting.areNodesWell() ? Duration.ZERO : AFTER_A_CLOCK_WAS_SET.plus(quarantine);
        return quarantine.plus(kept).plus(settling).plusSeconds(2).plusMillis(requests * 200L);
    }

    private void checkKeys() {
        for (SimulatedNode node : processes) {
            if (!node.keysWithoutTtl().isEmpty()) {
                throw new Violation("4: keys without a time to live: " + node.keysWithoutTtl());
            }
        }
    }
}
