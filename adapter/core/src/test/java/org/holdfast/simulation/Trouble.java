// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.memory.MemoryRedis;
import org.holdfast.protocol.node.NodeSet;

/** Lets faults happen in a run, until its time of trouble is over. */
final class Trouble {

    private static final long MILLI = 1_000_000L;
    private static final long SHORTEST_STEP = 5 * MILLI;

    /** A lock that seems to last longer than any lease, and by so much, is cut. */
    private static final long CUT_MICROS = 5_000_000;

    private final World world;
    private final Random random;
    private final Setting setting;
    private final long end;
    private final List<SimulatedNode> nodes;
    private final List<SimulatedVoter> voters;
    private final ClusterTrouble clusters;
    private final List<Client> clients;
    private final Habits habits;
    private final Suspensions suspensions;
    private final List<String> happened = new ArrayList<>();
    private boolean forcing;

    Trouble(
            World world,
            Setting setting,
            long end,
            List<SimulatedNode> nodes,
            List<SimulatedVoter> voters,
            List<SimulatedCluster> clusters,
            List<Client> clients,
            Habits habits,
            Suspensions suspensions) {
        this.world = world;
        this.random = world.random;
        this.setting = setting;
        this.end = end;
        this.nodes = nodes;
        this.voters = voters;
        this.clusters = new ClusterTrouble(world, end, clusters, clients);
        this.clients = clients;
        this.habits = habits;
        this.suspensions = suspensions;
    }

    /** Has all faults happen, each at its time. */
    void begin() {
        for (int fault = 0; fault < setting.faults(); fault++) {
            Fault kind = setting.kinds().get(random.nextInt(setting.kinds().size()));
            world.at((long) (random.nextDouble() * end), () -> happen(kind));
        }
        world.at(end, this::setRight);
    }

    /** Describes what went wrong, with the node or the client that was drawn for it. */
    @Override
    public String toString() {
        return happened.toString();
    }

    /** What clients refuse to work with is wrong no more. */
    private void setRight() {
        nodes.forEach(node -> node.clock.setRight(setting.harmlessErrorMicros()));
        clusters.setRight();
    }

    /** Ends within the time of trouble. */
    private long duration() {
        return (long) (random.nextDouble() * Math.min(1_500 * MILLI, end - world.now()));
    }

    /** Every other one is so short that Redis deletes nothing by itself meanwhile, only what is looked at. */
    private static long blip(long duration) {
        return duration % 2 == 0 ? Math.min(300 * MILLI, duration) : duration / 50;
    }

    private void happen(Fault kind) {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        Client client = clients.get(random.nextInt(clients.size()));
        happened.add(
                kind + " at " + world.now() / MILLI + " ms (node " + nodes.indexOf(node) + ", " + client.name() + ")");
        switch (kind) {
            case CRASH -> node.crash(random.nextBoolean() ? duration() : duration() / 50);
            case RESTART_EMPTY -> node.restartForgetting(duration() / 8);
            case RESTART_WHOLE -> node.restartWhole(duration() / 8);
            case FLUSH -> node.flush();
            case NODE_PAUSE -> node.pause(duration());
            case CLIENT_PAUSE -> client.machine.pause(world.now() + duration());
            case CUT_OFF -> client.reach.cutOff(new NodeSet(random.nextLong()), world.now() + duration());
            case CLOCK_STEP -> node.clock.step(false);
            case CLOCK_SET_RIGHT -> node.clock.step(true);
            case CLOCK_BLIP -> node.clock.blip(blip(duration()), random.nextInt(4) > 0 ? 0 : lingerMicros());
            case CLOCK_DIP -> dip(node, setting.smallestStepMicros());
            case CLOCK_DIVE -> dip(node, setting.timing().maxLeaseTtl().toNanos() / 1_000 + CUT_MICROS);
            case CLOCK_STAIRS -> {
                if (end - world.now() > 600 * MILLI) { // it has to be right again in time
                    climb(node);
                }
            }
            case EVICTION -> node.evict(shortOfMemory(), key -> random.nextBoolean() || isOfLine(key));
            case EVICTION_IN_LINE -> node.evict(shortOfMemory(), key -> random.nextBoolean() && isOfLine(key));
            case WALL_STEP -> client.time.setWall(setting.wallErrorMicros(random));
            case WALL_FAR_OFF -> wallFarOff(client);
            case STANDSTILL -> standStill(client);
            case SLOW_SENDING -> client.reach.slowUntil = world.now() + duration();
            case ERRORS ->
                node.refuse(
                        random.nextBoolean() ? MemoryRedis.Refusing.WRITES : MemoryRedis.Refusing.EVERYTHING,
                        duration());
            case FULL_MEMORY -> node.refuse(MemoryRedis.Refusing.GROWTH, duration());
            case FORCED_RELEASE -> forceRelease(client);
            case FAILOVER -> failOver(nodes.indexOf(node));
            case FAILOVER_IN_FULL -> failOverInFull(nodes.indexOf(node));
            case FAILOVER_ONE_WAY -> failOverOneWay(nodes.indexOf(node));
            case FAILOVER_ASTRAY -> failOverAstray(nodes.indexOf(node));
            case WITNESSES_LOST -> loseWitnesses(nodes.indexOf(node));
            default -> clusters.happen(kind, nodes.indexOf(node));
        }
    }

    private void failOver(int node) {
        divide(node, end - world.now());
        voters.get(node).failOver(Math.min(4_000 * MILLI, end - world.now()));
        if (random.nextBoolean()) { // and back
            world.after(upTo(end - world.now()), () -> voters.get(node).failOver(end - world.now()));
        }
    }

    private void failOverInFull(int node) {
        divide(node, upTo(end - world.now()));
        voters.get(node).failOverInFull();
    }

    private void replaceInPlace(int node) {
        divide(node, end - world.now());
        voters.get(node).replaceInPlace(end - world.now());
    }

    private void failOverOneWay(int node) {
        long silent = 500 * MILLI + upTo(1_500 * MILLI);
        long most = end - world.now() - silent;
        if (most > 0) {
            long goesOn = most / 2 + upTo(most / 2);
            voters.get(node).failOverOneWay(silent, goesOn);
            world.after(silent, () -> divide(node, goesOn));
        }
    }

    /** A witness may be led astray as clients are: each has an address book of its own. */
    private void failOverAstray(int node) {
        int place = random.nextInt(2);
        for (Client client : clients) {
            if (random.nextBoolean()) {
                client.whereabouts.goAstray(node, place, world.now() + upTo(end - world.now()));
            }
        }
        if (random.nextInt(4) == 0) {
            voters.get(node)
                    .leadAstray(random.nextInt(SimulatedVoter.WITNESSES), place, world.now() + upTo(end - world.now()));
        }
        switch (random.nextInt(3)) {
            case 0 -> failOver(node);
            case 1 -> failOverOneWay(node);
            default -> replaceInPlace(node);
        }
    }

    private void loseWitnesses(int node) {
        SimulatedVoter voter = voters.get(node);
        long heard = 1_500 * MILLI + upTo(1_000 * MILLI);
        long lost = heard + 200 * MILLI + upTo(1_000 * MILLI);
        long begin = lost
                + setting.timing().maxLeaseTtl().toNanos()
                + 2 * Whereabouts.counts(setting).toNanos();
        long again = begin + 1_000 * MILLI + upTo(4_000 * MILLI);
        long over = again + 2_000 * MILLI;
        if (world.now() + over > end) {
            return;
        }
        voter.failOver(heard);
        world.after(heard + upTo(200 * MILLI), () -> voter.failOver(begin - lost));
        for (Client client : clients) {
            boolean late = random.nextBoolean();
            long until = world.now() + (late ? again + upTo(2_000 * MILLI) : begin);
            world.after(late ? heard : lost, () -> {
                client.whereabouts.standApart(node, 0, until);
                client.reach.cutOff(NodeSet.of(node), until);
            });
        }
        world.after(begin, voter::loseWitnesses);
        world.after(again, () -> failOver(node));
    }

    /** Some clients are on the side of the former primary, with few witnesses, and do not hear of it for a while. */
    private void divide(int node, long most) {
        for (Client client : clients) {
            if (random.nextBoolean()) {
                long until = world.now() + upTo(most);
                client.whereabouts.standApart(node, random.nextInt(2), until);
            }
        }
    }

    /** So short that few clients see it. One asks meanwhile, and the others afterwards. */
    private void dip(SimulatedNode node, long least) {
        if (end - world.now() < 600 * MILLI) { // it has to be right again in time
            return;
        }
        long back = least + upTo(2 * setting.timing().maxLeaseTtl().toNanos() / 1_000);
        long nanos = SHORTEST_STEP + upTo(4 * setting.meanDelay());
        node.clock.push(-back);
        world.after(nanos, () -> node.clock.push(back));
        world.after(upTo(nanos / 2), clients.get(random.nextInt(clients.size()))::tryOnce);
        for (Client client : clients) {
            for (int times = 0; times < 3; times++) {
                world.after(nanos + upTo(400 * MILLI), client::tryOnce);
            }
        }
    }

    /**
     * Each step may end leases that are in force, and all steps together the keys of their locks, by a clock that is
     * right again soon. One client asks for a lock in each step. Mostly it is cut off before the answer and does not
     * see the clock, since a client that has seen it sets the node aside. Afterwards all ask.
     */
    private void climb(SimulatedNode node) {
        long leaseMicros = setting.timing().maxLeaseTtl().toNanos() / 1_000;
        long longestStep = 60 * MILLI + 4 * setting.meanDelay();
        long most = world.now() + 4 * (SHORTEST_STEP + longestStep);
        long ahead = 0;
        long at = world.now();
        for (int step = 1 + random.nextInt(3); step > 0; step--) {
            long push = setting.smallestStepMicros() + upTo(random.nextInt(4) > 0 ? leaseMicros : lingerMicros());
            world.at(at, () -> node.clock.push(push));
            long length = SHORTEST_STEP + upTo(longestStep);
            askUnseen(node, at + upTo(length), at + upTo(most - at));
            ahead += push;
            at += length;
        }
        long back = ahead;
        world.at(at, () -> node.clock.push(-back));
        for (Client client : clients) {
            world.at(at + upTo(longestStep), client::tryOnce);
        }
        if (random.nextInt(4) == 0) {
            node.refuse(MemoryRedis.Refusing.GROWTH, at - world.now());
        }
    }

    /** A clock that goes ahead by so much more deletes also what lingers. */
    private long lingerMicros() {
        return setting.acceptedSettings().widest().linger().toNanos() / 1_000;
    }

    private void askUnseen(SimulatedNode node, long moment, long until) {
        Client client = clients.get(random.nextInt(clients.size()));
        world.at(moment, client::tryOnce);
        if (random.nextInt(4) > 0) {
            NodeSet cutOff = NodeSet.of(nodes.indexOf(node));
            world.at(moment + setting.meanDelay(), () -> client.reach.cutOff(cutOff, until));
        }
    }

    private long upTo(long most) {
        return (long) (random.nextDouble() * most);
    }

    /** A little longer than until keys are evicted, if there is time for that. */
    private long shortOfMemory() {
        return Math.min(end - world.now(), 1_550 * MILLI + duration() / 8);
    }

    private static boolean isOfLine(String key) {
        return key.endsWith(":tickets") || key.endsWith(":queue") || key.endsWith(":queue-reading");
    }

    /** By a little more than is allowed, or by a year. */
    private void wallFarOff(Client client) {
        long tooFar = setting.maxSkewMicros() * 2;
        long error = random.nextBoolean() ? tooFar : 31_536_000_000_000L;
        client.time.setWall(random.nextInt(4) == 0 ? -error : error);
        world.after(duration(), () -> client.time.setWall(setting.wallErrorMicros(random)));
    }

    private void standStill(Client client) {
        long nanos = random.nextBoolean() ? duration() : duration() / 8;
        client.machine.pause(world.now() + nanos);
        world.after(nanos, () -> {
            client.time.stoodStill(nanos);
            suspensions.stoodStill(client.name());
        });
    }

    /** One at a time: nothing is promised of what two at once do to each other. */
    private void forceRelease(Client client) {
        if (!forcing) {
            forcing = true;
            client.forceRelease(
                    habits.anyShape(random).request(random.nextInt(habits.locks()), habits.permits()),
                    suspensions,
                    () -> forcing = false);
        }
    }
}
