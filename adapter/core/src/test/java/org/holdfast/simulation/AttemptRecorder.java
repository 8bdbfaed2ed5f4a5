// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.holdfast.Lease;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.LeaseBridge;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.session.SessionBridge;

/**
 * Records the steps of clients: their attempts, and the leases that come of them.
 *
 * <p>What clients hold is read after each event, so each step has the moment at which it was made.
 */
final class AttemptRecorder {

    private final World world;
    private final List<Client> clients;
    private final Steps steps;
    private final Map<World.Task, Trace.Attempt> drawn = new HashMap<>();
    private final Map<String, Trace.Attempt> byOwner = new LinkedHashMap<>();
    private final List<Map<String, Long>> held = new ArrayList<>();

    /** Where steps are put. */
    interface Steps {
        void add(String kind, Trace.Attempt attempt, long... numbers);
    }

    AttemptRecorder(World world, List<Client> clients, Steps steps) {
        this.world = world;
        this.clients = clients;
        this.steps = steps;
        clients.forEach(client -> held.add(new HashMap<>()));
    }

    private long now() {
        return ModelTime.tick(world.now());
    }

    /** Reads what clients hold. */
    void look() {
        for (int client = 0; client < clients.size(); client++) {
            look(clients.get(client), held.get(client));
        }
    }

    private void look(Client client, Map<String, Long> known) {
        LongFunction<Long> left = validUntil -> ModelTime.tick(client.time.worldMoment(validUntil));
        Map<String, Long> holds = new HashMap<>();
        for (HeldLock each : client.held()) {
            holds.merge(each.claim().owner().value(), LeaseBridge.validUntil(each), Math::max);
        }
        holds.forEach((owner, validUntil) -> {
            Trace.Attempt attempt = byOwner.get(owner);
            Long before = known.put(owner, validUntil);
            if (before == null) {
                attempt.got = true;
                steps.add("get", attempt, left.apply(validUntil) - now(), now() - attempt.drawnAt);
            } else if (validUntil - before > 0) {
                steps.add("extend", attempt, left.apply(validUntil) - now());
            }
        });
        Set<String> gone = known.keySet().stream()
                .filter(owner -> !holds.containsKey(owner))
                .collect(Collectors.toSet());
        gone.forEach(owner -> {
            known.remove(owner);
            end(byOwner.get(owner));
        });
    }

    /** The running thread has drawn a token. */
    void draw() {
        Trace.Attempt attempt = new Trace.Attempt(now());
        steps.add("draw", attempt);
        drawn.put(world.current(), attempt);
    }

    /** The running thread makes its attempt. */
    Trace.Attempt begin(Claim claim) {
        Trace.Attempt attempt = drawn.remove(world.current());
        attempt.claim = claim;
        byOwner.put(claim.owner().value(), attempt);
        return attempt;
    }

    Trace.Attempt of(Claim claim) {
        return byOwner.get(claim.owner().value());
    }

    /** A release is sent: of a lease, or of an attempt that came to nothing. */
    void released(Command.Release release) {
        Trace.Attempt attempt = of(release.claim());
        if (release.held()) {
            release(attempt);
        } else {
            end(attempt);
        }
    }

    /** A lease is released. If its client has stood still it is lost as it begins: no look of ours has seen it. */
    private void release(Trace.Attempt attempt) {
        if (!attempt.over && !attempt.got) {
            attempt.got = true;
            steps.add("get", attempt, 0, now() - attempt.drawnAt);
        }
        end(attempt);
    }

    void end(Trace.Attempt attempt) {
        if (!attempt.over) {
            attempt.over = true;
            steps.add(attempt.got ? "end" : "giveUp", attempt);
        }
    }

    /** A client has found that it has a lease. */
    void rely(Lease lease) {
        Trace.Attempt attempt = of(SessionBridge.heldLock(lease).claim()); // two readers may have the same token
        if (attempt.got) {
            steps.add("rely", attempt);
        }
    }
}
