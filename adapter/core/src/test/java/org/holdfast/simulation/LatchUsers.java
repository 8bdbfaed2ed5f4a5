// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.CountDownUnconfirmedException;
import org.holdfast.DistributedLatch;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.node.Latch;

/**
 * Uses one latch, in three generations, and watches that it never opens before it was counted down often enough.
 *
 * <p>The first is counted down while things go wrong, and reset then. The second lacks one call until peace. The third
 * has peace, and must open.
 */
final class LatchUsers {

    private static final long MILLI = 1_000_000L;
    private static final Duration PATIENCE = Duration.ofMillis(150);

    /** A waiter asks once a second at least. */
    private static final long LONGEST_IN_CALM = 1_500 * MILLI;

    private final World world;
    private final Random random;
    private final Setting setting;
    private final List<Client> clients;
    private final List<SimulatedNode> nodes;
    private final int count;

    /** How many calls each generation may have recorded. */
    private final int[] called = new int[3];

    /** Ids of calls of the second generation that are not confirmed. */
    private final List<String> unconfirmed = new ArrayList<>();

    private int working;
    private int waiting;
    private int missing;
    private int ids;
    private long confirmedAt;

    /** @param seed of decisions that are made here: others are as in a run without latches */
    LatchUsers(World world, long seed, Setting setting, List<Client> clients, List<SimulatedNode> nodes) {
        this.world = world;
        this.random = new Random(seed);
        this.setting = setting;
        this.clients = clients;
        this.nodes = nodes;
        this.count = 1 + random.nextInt(4);
        this.missing = 1;
    }

    private DistributedLatch latch(Client client, int generation, Duration patience) {
        return client.latch(new Latch("latch", generation, count), patience);
    }

    void begin(long until) {
        long reset = upTo(until);
        for (int call = 0; call < count; call++) {
            boolean last = call == count - 1;
            callAt(upTo(until), 0);
            if (!last) {
                callAt(reset + upTo(until - reset), 1);
            }
        }
        clients.forEach(client -> work(client, 0, () -> {
            while (world.now() < until) {
                await(client, world.now() < reset ? 0 : 1, Duration.ofMillis(random.nextInt(300)));
                sleep(upTo(100 * MILLI));
            }
        }));
    }

    private long upTo(long nanos) {
        return (long) (random.nextDouble() * nanos);
    }

    private void sleep(long nanos) {
        world.waitUntil(world.now() + nanos);
    }

    private void work(Client client, long from, Runnable work) {
        working++;
        world.at(
                from,
                () -> world.spawn(client.machine, () -> {
                    work.run();
                    working--;
                }));
    }

    private void callAt(long moment, int generation) {
        Client client = clients.get(random.nextInt(clients.size()));
        work(client, moment, () -> {
            boolean counts = countDown(client, generation, PATIENCE);
            missing += counts || generation != 1 ? 0 : 1;
        });
    }

    /** Returns false if the call does not count. If that is not known, it is repeated in peace. */
    private boolean countDown(Client client, int generation, Duration patience) {
        called[generation]++;
        try {
            DistributedLatch latch = latch(client, generation, patience);
            if (random.nextBoolean()) {
                latch.countDown();
            } else {
                String id = "id-" + ids++;
                latch.countDown(id);
                checkRecorded(id, generation);
            }
            return true;
        } catch (CountDownUnconfirmedException e) {
            if (generation == 1) {
                unconfirmed.add(e.id());
            }
            return true;
        } catch (QuorumUnavailableException e) { // no node was sent it
            called[generation]--;
            return false;
        } catch (LockException e) { // it was reset
            return false;
        }
    }

    /** While no node can forget and no higher generation comes, a majority has what is confirmed. */
    private void checkRecorded(String id, int generation) {
        long recorded = nodes.stream()
                .map(node -> node.redis().copy().get(SimulatedNode.PREFIX + ":{latch}:latch"))
                .filter(value -> value != null && value.startsWith(generation + " " + count + " "))
                .filter(value -> {
                    List<String> all = List.of(value.split(" "));
                    return all.contains(id) || all.size() == 2 + count;
                })
                .count();
        if (generation > 0 && setting.areNodesWell() && recorded <= nodes.size() / 2) {
            throw new Violation("9: " + id + " of generation " + generation + " is confirmed, and recorded by "
                    + recorded + " of " + nodes.size() + " nodes");
        }
    }

    private boolean await(Client client, int generation, Duration timeout) {
        try {
            boolean open = latch(client, generation, PATIENCE).await(timeout);
            if (open && called[generation] < count) {
                throw new Violation("9: at " + world.now() / MILLI + " ms " + client.name() + " sees generation "
                        + generation + " open after " + called[generation] + " of " + count + " calls");
            }
            return open;
        } catch (LockException | InterruptedException e) {
            return false;
        }
    }

    /** After all faults have ended: what is missing is done, and within that time each generation opens. */
    void beginPeace(Duration within, Runnable done) {
        long deadline = world.now() + within.toNanos();
        Client client = clients.get(0);
        world.spawn(client.machine, () -> {
            while (working > 0) {
                sleep(20 * MILLI);
            }
            finishSecond(client, deadline);
            for (Client waiter : clients) {
                waiting++;
                world.spawn(waiter.machine, () -> mustOpen(waiter, 2, deadline));
            }
            for (int call = 0; call < count; call++) {
                must(countDown(clients.get(call % clients.size()), 2, left(deadline)), "a call is not confirmed", 2);
            }
            confirmedAt = world.now();
            while (waiting > 0) {
                sleep(20 * MILLI);
            }
            mustBeOver(client);
            done.run();
        });
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - world.now()));
    }

    private void must(boolean done, String what, int generation) {
        if (!done) {
            throw new Violation("9: at " + world.now() / MILLI + " ms " + what + " of generation " + generation
                    + " though all faults have ended, count " + count);
        }
    }

    private void finishSecond(Client client, long deadline) {
        for (String id : unconfirmed) {
            repeat(id, client, deadline);
            repeat(id, clients.get(1), deadline); // and once more, which counts nothing
        }
        await(client, 1, Duration.ZERO); // too few calls for it
        for (int call = 0; call < missing; call++) {
            must(countDown(client, 1, left(deadline)), "a call is not confirmed", 1);
        }
        if (setting.areNodesWell()) { // else calls may be lost
            must(await(clients.get(1), 1, left(deadline)), "it is not open", 1);
        }
    }

    private void repeat(String id, Client client, long deadline) {
        try {
            latch(client, 1, left(deadline)).countDown(id);
        } catch (LockException e) {
            must(false, "a call is not confirmed (" + e.getMessage() + ")", 1);
        }
    }

    private void mustOpen(Client waiter, int generation, long deadline) {
        must(await(waiter, generation, left(deadline)), "it is not open", generation);
        if (setting.isCalm() && confirmedAt > 0 && world.now() - confirmedAt > LONGEST_IN_CALM) {
            throw new Violation("9: " + waiter.name() + " sees it open only " + (world.now() - confirmedAt) / MILLI
                    + " ms after the last call was confirmed");
        }
        waiting--;
    }

    /** A majority has the third generation, and refuses what is before. */
    private void mustBeOver(Client client) {
        try {
            latch(client, 1, PATIENCE).countDown();
        } catch (CountDownUnconfirmedException | QuorumUnavailableException e) {
            throw new Violation("9: a generation that is over is not refused: " + e.getMessage());
        } catch (LockException e) {
            return;
        }
        throw new Violation("9: a generation that is over is counted down");
    }
}
