// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.quorum.Timing;

/**
 * What one run is set up with.
 *
 * @param nodes how many there are
 * @param timing what the deployment agrees on
 * @param meanDelay of a message, one way, in nanoseconds
 * @param breaks how likely a message is to break its connection
 * @param kinds what goes wrong
 * @param faults how often something does
 * @param survival what a lease must survive; empty for no such lease
 * @param clustered whether nodes are clusters
 */
record Setting(
        int nodes,
        Timing timing,
        long meanDelay,
        double breaks,
        List<Fault> kinds,
        int faults,
        Optional<Survival> survival,
        boolean clustered) {

    private static final long MILLI = 1_000_000L;

    /** How far clocks drift apart in a run of ten seconds, at the drift that is usual. */
    private static final long DRIFTED_MILLIS = 100;

    /** How far they do in one that lasts as long as it takes to lose all witnesses, and some seconds more. */
    private static final long DRIFTED_WITHOUT_WITNESSES_MILLIS = 250;

    private static final List<Integer> NODES = List.of(1, 1, 3, 3, 3, 3, 3, 5, 5, 5, 5, 7);

    /** One node alone shows most: of several a majority would have to fail over at the same time. */
    private static final List<Integer> MOVING_NODES = List.of(1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 5);

    private static final List<Integer> TTLS = List.of(2_000, 2_000, 1_200, 700);
    private static final List<Integer> LONG_TTLS = List.of(2_000, 2_000);

    /** A slot whose move is given up is not seen to be so for two looks. */
    private static final List<Integer> CLUSTER_TTLS = List.of(4_000, 3_500, 3_000);

    private static final double DRIFT = 0.01;
    private static final Duration MARGIN = Duration.ofSeconds(1);
    private static final Duration TICKET_TTL = Duration.ofMillis(300);

    /** @param only names of the only faults there are; empty for all */
    static Setting draw(Random random, String only) {
        return only.isEmpty() && random.nextInt(10) == 0 ? drawSurvival(random) : drawAny(random, only);
    }

    /** Draws one in which only that happens which a model of the protocol has: no fence expires, no clock jumps. */
    static Setting drawModelled(Random random, Modelled modelled) {
        Timing timing =
                new Timing(Duration.ofMillis(50), modelled.maxTtl(), Duration.ofSeconds(60), DRIFT, MARGIN, TICKET_TTL);
        return new Setting(
                modelled.drawNodes(random),
                timing,
                MILLI / 2 * List.of(1, 4, 30).get(random.nextInt(3)),
                List.of(0.0, 0.03, 0.15).get(random.nextInt(3)),
                modelled.drawKinds(random),
                modelled.drawFaults(random),
                Optional.empty(),
                false);
    }

    private static Setting drawSurvival(Random random) {
        Survival survival = Survival.draw(random);
        Timing timing = new Timing(
                Duration.ofMillis(50), survival.drawMaxTtl(random), Duration.ofSeconds(10), DRIFT, MARGIN, TICKET_TTL);
        long meanDelay = MILLI / 2 * (1 + random.nextInt(4));
        return new Setting(
                survival.drawNodes(random), timing, meanDelay, 0, List.of(), 0, Optional.of(survival), false);
    }

    private static Setting drawAny(Random random, String only) {
        boolean rare = only.isEmpty() && random.nextInt(8) == 0;
        Fault one =
                List.of(Fault.FORCED_RELEASE, Fault.STANDSTILL, Fault.EVICTION).get(random.nextInt(3));
        boolean onlyForced = rare && one == Fault.FORCED_RELEASE;
        boolean clustered = Fault.isAnyOfClusters(only);
        boolean slow = !onlyForced && random.nextInt(8) == 0 && !clustered;
        List<Fault> kinds = rare ? List.of(one) : Fault.drawKinds(random, only);
        long meanDelay = slow ? 40 * MILLI : MILLI / 2 * List.of(1, 4, 30).get(random.nextInt(3));
        double breaks = onlyForced ? 0 : List.of(0.0, 0.03, 0.15).get(random.nextInt(3));
        boolean quiet = breaks == 0 && meanDelay <= 2 * MILLI;
        return new Setting(
                (kinds.stream().anyMatch(Fault::isFailover) || clustered ? MOVING_NODES : NODES)
                        .get(random.nextInt(NODES.size())),
                timing(
                        random,
                        slow,
                        clustered,
                        clustered ? CLUSTER_TTLS : isOnly(Fault.EVICTION, kinds) ? LONG_TTLS : TTLS),
                meanDelay,
                breaks,
                kinds,
                !rare && quiet && (clustered ? random.nextInt(8) == 0 : random.nextBoolean()) ? 0 : random.nextInt(10),
                Optional.empty(),
                clustered);
    }

    private static Timing timing(Random random, boolean slow, boolean lengthy, List<Integer> maxTtls) {
        boolean drifting = random.nextInt(4) == 0;
        return new Timing(
                Duration.ofMillis(slow ? 200 : 50),
                Duration.ofMillis(maxTtls.get(random.nextInt(maxTtls.size()))),
                Duration.ofMillis(
                        drifting || lengthy
                                ? 10_000
                                : List.of(10_000, 10_000, 2_000, 700).get(random.nextInt(4))),
                drifting ? 10 * DRIFT : DRIFT,
                MARGIN,
                TICKET_TTL);
    }

    /** Nothing is lost, and nothing is late. */
    boolean isQuiet() {
        return breaks == 0 && meanDelay <= 2 * MILLI;
    }

    /** Nothing goes wrong, unless an operator takes locks away. */
    boolean isUndisturbed() {
        return isQuiet() && survival.isEmpty() && (faults == 0 || isOnly(Fault.FORCED_RELEASE, kinds));
    }

    private static boolean isOnly(Fault fault, List<Fault> kinds) {
        return kinds.stream().allMatch(kind -> kind == fault);
    }

    /** Returns the ways to lock in which that what goes wrong may do harm, if only that does. */
    Optional<List<Shape>> shapes() {
        if (isOnly(Fault.STANDSTILL, kinds)) {
            return Optional.of(List.of(Shape.KEPT, Shape.PLAIN));
        }
        return isOnly(Fault.EVICTION, kinds) ? Optional.of(List.of(Shape.SEVERAL, Shape.PLAIN)) : Optional.empty();
    }

    /** Nothing goes wrong by which a node may forget a lock, or a lease end later than it should. */
    boolean areNodesWell() {
        return survival.isEmpty() && (faults == 0 || kinds.stream().noneMatch(Fault::isOfMemoryOrClocks));
    }

    /** Nothing goes wrong at all. */
    boolean isCalm() {
        return isQuiet() && faults == 0 && survival.isEmpty();
    }

    /** Draws how fast a clock runs. Rates differ by less than the bound between any two machines. */
    double clockRate(Random random) {
        return 1 + (random.nextDouble() - 0.5) * timing.driftFactor() * 0.9;
    }

    /**
     * Draws by how much a client's wall clock is wrong: clients agree within the longest TTL and within the retention,
     * without which tokens need not grow where nodes have lost them.
     */
    long wallErrorMicros(Random random) {
        boolean lasts = kinds.contains(Fault.WITNESSES_LOST);
        long most = mostWallErrorMicros() - (lasts ? DRIFTED_WITHOUT_WITNESSES_MILLIS : DRIFTED_MILLIS) * 1_000;
        return (long) ((random.nextDouble() * 2 - 1) * most);
    }

    private long mostWallErrorMicros() {
        return Math.min(timing.maxLeaseTtl().toMillis(), timing.fenceRetention().toMillis()) * 1_000 / 2;
    }

    /** Returns by how much a node's clock may be wrong without clients refusing to work, whatever theirs say. */
    long harmlessErrorMicros() {
        return maxSkewMicros() - mostWallErrorMicros();
    }

    /** Returns what nodes are told of it. */
    AcceptedSettings acceptedSettings() {
        return new AcceptedSettings(new SharedSettings(
                timing.maxLeaseTtl().toMillis(), timing.fenceRetention().toMillis(), timing.driftFactor()));
    }

    /** Returns by how much a client's wall clock may differ from the nodes'. */
    long maxSkewMicros() {
        return timing.fenceRetention().toMillis() * 1_000 / 2;
    }

    /** Returns how long things go wrong: long enough for a failover, a quarantine, and a failover back. */
    long troubleNanos() {
        long moving = isClustered() || kinds.contains(Fault.WITNESSES_LOST) ? 16_000 : 8_000;
        return survival.map(what -> what.duration(this)).orElse((isMoving() ? moving : 3_000) * MILLI);
    }

    /** Processes that take each other's place run on one machine, and have its clock. */
    boolean isOnOneMachine() {
        return kinds.contains(Fault.FAILOVER_IN_FULL);
    }

    /** Nodes fail over: they have standbys, or are clusters. */
    boolean isMoving() {
        return kinds.stream().anyMatch(Fault::isFailover) || isClustered();
    }

    /** Nodes are clusters. */
    boolean isClustered() {
        return clustered;
    }

    /**
     * The smallest step of a node's clock that clients are sure to see; smaller ones are no danger but to leases that
     * are so short that the drift which is subtracted from them is less.
     */
    long smallestStepMicros() {
        return 20_000 + 10 * meanDelay / 1_000 + (long) (3_000_000 * timing.driftFactor());
    }

    /**
     * Draws by how much each node's clock is set wrong, of all sizes. Fewer than a quorum are alike: where more are set
     * by the same, clients believe that their own clock stood still.
     */
    long[] drawClockSteps(Random random) {
        long[] steps = new long[nodes];
        for (int node = 0; node < nodes; node++) {
            steps[node] = drawClockStep(random);
            for (int i = 0; countAlike(steps, node) > nodes / 2; i++) {
                steps[node] = drawClockStep(random) + i * smallestStepMicros(); // sooner or later there is room
            }
        }
        return steps;
    }

    private long drawClockStep(Random random) {
        long smallest = smallestStepMicros();
        long largest = survival.isPresent()
                ? 150_000
                : 3 * acceptedSettings().widest().quarantine().toNanos() / 1_000;
        long step = (long) (smallest * Math.pow((double) largest / smallest, random.nextDouble()));
        boolean ahead = survival.isPresent() || step > harmlessErrorMicros(); // what is harmful is set right in the end
        return ahead || random.nextBoolean() ? step : -step;
    }

    private int countAlike(long[] steps, int node) {
        int alike = 0;
        for (int other = 0; other < node; other++) {
            alike += Math.abs(Math.abs(steps[other]) - Math.abs(steps[node])) < smallestStepMicros() ? 1 : 0;
        }
        return nodes == 1 || survival.isPresent() ? 0 : alike + 1;
    }

    /** Returns how long ago a look has to be, for quarantine.lua to take a missing heartbeat for one that has ended. */
    long unusedMicros() {
        return acceptedSettings().widest().linger().toNanos() / 1_000 - 1_020_000;
    }

    /** Returns how far a node's clock has to be ahead for fences to expire while their leases are in force. */
    long forgottenAheadMicros() {
        Duration kept = timing.fenceRetention().plus(acceptedSettings().widest().linger());
        return kept.toNanos() / 1_000;
    }
}
