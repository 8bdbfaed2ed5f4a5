// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import org.holdfast.protocol.guard.NodeMonitor;

/** How a client looks at nodes in the background. */
final class SimulatedSight implements NodeMonitor.Sight {

    private static final long PAUSE_NANOS = 200_000_000L;
    private static final long NOT_ADMITTED = Long.MIN_VALUE;

    private final World world;
    private final Network network;
    private final View view;
    private final long[] nextLook;

    SimulatedSight(World world, Network network, View view) {
        this.world = world;
        this.network = network;
        this.view = view;
        this.nextLook = new long[network.size()];
    }

    @Override
    public int count() {
        return network.size();
    }

    @Override
    public boolean isAsked(int node) {
        return view.isAsked(node);
    }

    @Override
    public long nanosUntilLook(int node) {
        return nextLook[node] - world.now();
    }

    @Override
    public boolean claimLook(int node) {
        nextLook[node] = world.now() + PAUSE_NANOS;
        return true;
    }

    @Override
    public void look(int node) {
        long sentAt = view.time.nanoTime();
        long there = network.delay();
        long[] clock = {NOT_ADMITTED};
        int[] term = {0};
        world.after(there, () -> {
            if (network.isReachable(node, view)) {
                long now = view.process(node).clock.micros();
                term[0] = term(node);
                view.clockMonitor.note(
                        node, term[0], sentAt, view.time.nanoTime(), now); // the guard asks since when it is known
                clock[0] = network.isAdmitted(node, view) ? now : NOT_ADMITTED;
            }
        });
        world.waitUntil(world.now() + there + network.delay());
        if (clock[0] != NOT_ADMITTED) {
            view.clockMonitor.note(node, term[0], sentAt, view.time.nanoTime(), clock[0]);
        }
        view.looked(node, clock[0] != NOT_ADMITTED && view.places.counts(node, term[0]));
    }

    private int term(int node) {
        return view.places.of(node).orElseThrow().term();
    }

    @Override
    public boolean quarantine(int node, String reason) {
        world.waitUntil(world.now() + network.delay());
        return network.quarantined(node, view);
    }

    @Override
    public boolean isVouchedFor(int node) {
        long sentAt = view.time.nanoTime();
        world.waitUntil(world.now() + network.delay());
        if (!network.isReachable(node, view)) {
            return false;
        }
        SimulatedNode process = view.process(node);
        view.clockMonitor.note(node, term(node), sentAt, view.time.nanoTime(), process.clock.micros());
        return process.probes
                .mark(view.keys(node))
                .filter(mark -> view.clockMonitor.isVouchedFor(node, mark.steadyMicros(), mark.watchedMicros()))
                .isPresent();
    }
}
