// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Lets clusters fail over, and operators move their slots. */
final class ClusterTrouble {

    private static final long MILLI = 1_000_000L;

    /** That a move is given up sooner is excluded in writing: a client may not have asked meanwhile. */
    private static final long SHORTEST_MOVE = 1_100 * MILLI;

    /** So long it takes until all know what each of them claims. */
    private static final long GOSSIP = 1_000 * MILLI;

    /** So long after a node was named clients use it. */
    private static final long SETTLED = 7_500 * MILLI;

    /** So long before the time of trouble ends nothing is begun any more. */
    private static final long LAST = 1_500 * MILLI;

    /** So long it takes until each client has looked. */
    static final long LOOKS = 1_500 * MILLI;

    private final World world;
    private final Random random;
    private final long end;
    private final ClusterCuts cuts;
    private final List<SimulatedCluster> clusters;
    private final List<Client> clients;
    private long replacedAt = -LOOKS - 1;

    ClusterTrouble(World world, long end, List<SimulatedCluster> clusters, List<Client> clients) {
        this.world = world;
        this.random = world.random;
        this.end = end;
        this.cuts = new ClusterCuts(world, clients);
        this.clusters = clusters;
        this.clients = clients;
    }

    private long upTo(long most) {
        return (long) (random.nextDouble() * most);
    }

    private long left() {
        return end - LAST - world.now();
    }

    /** What operators have left behind half done is repaired. */
    void setRight() {
        world.after(GOSSIP, () -> clusters.forEach(SimulatedCluster::repair));
    }

    void happen(Fault kind, int voter) {
        if (left() <= 0) {
            return;
        }
        SimulatedCluster cluster = clusters.get(voter);
        ClusterMember owner = cluster.owner();
        switch (kind) {
            case SHARD_ISOLATED -> cuts.isolate(cluster, owner, upTo(left()));
            case SHARD_TAKES_EPOCH -> {
                long nanos = left() / 2 + upTo(left() / 2); // long enough for its successor to be asked
                cuts.isolate(cluster, owner, nanos);
                if (!cluster.isDurable()) { // there it would come back without what was answered elsewhere
                    world.after(nanos - upTo(nanos / 4), owner::raiseEpoch);
                }
            }
            case SHARD_CRASH -> owner.process.crash(upTo(random.nextBoolean() ? left() : 300 * MILLI));
            case SHARD_PAUSE -> owner.process.pause(upTo(Math.min(left(), 5_000 * MILLI)));
            case SHARD_REPLACED -> {
                if (world.now() - replacedAt > LOOKS) {
                    replacedAt = world.now();
                    replace(cluster, owner);
                }
            }
            case SHARD_SUPPLANTED -> cuts.supplant(cluster, owner, left());
            case SHARD_UNHEARD -> cuts.silence(cluster, owner, left() / 2 + upTo(left() / 2));
            case SHARD_DEAF -> cuts.deafen(cluster, owner, left() / 2 + upTo(left() / 2));
            case SHARD_THERE_AND_BACK -> supplantThereAndBack(cluster, owner);
            case SLOT_MOVED, SLOT_TAKEN -> move(cluster, cluster.parts.named(), kind == Fault.SLOT_MOVED, () -> {});
            case SLOT_THERE_AND_BACK ->
                move(cluster, cluster.parts.named(), random.nextInt(4) > 0, () -> {
                    world.after(
                            upTo(left()), () -> move(cluster, cluster.parts.named(), random.nextBoolean(), () -> {}));
                });
            case SLOT_AWAY_UNSEEN -> takeUnseen(cluster, cluster.parts.named());
            case SLOT_GIVEN_UP -> giveUp(cluster, cluster.parts.named());
            case SLOT_GIVEN_UP_UNSEEN -> giveUpUnseen(cluster);
            case HOME_MOVED -> moveHome(cluster, owner);
            case HOME_MOVED_FIRST -> takeAfterHome(cluster, owner);
            case SLOT_AWAY_UNLISTED -> takeUnlisted(cluster, owner);
            case SLOT_SOURCE_CRASH -> crashWhileMoving(cluster, cluster.parts.named());
            case ADDRESSES_OF_ANOTHER -> {
                long until = world.now() + left() / 2 + upTo(left() / 2);
                clients.stream()
                        .filter(client -> client.knowsClusters() && random.nextBoolean())
                        .forEach(client -> {
                            clusters.forEach(one -> client.reach.mislead(one, until));
                            askOften(client, world.now(), 10, left());
                        });
            }
            default -> throw new IllegalArgumentException(kind + " does not happen to clusters");
        }
    }

    /**
     * One client is away while the replica takes the place of its primary. When it is back, so is that primary, and the
     * former replica is cut off with another client.
     */
    private void supplantThereAndBack(SimulatedCluster cluster, ClusterMember owner) {
        if (left() < SETTLED) {
            return; // there and back between two looks is excluded in writing
        }
        Client absent = clients.get(random.nextInt(clients.size()));
        long nanos = Math.min(left(), SETTLED + upTo(4_000 * MILLI));
        cuts.hide(absent, cluster, List.of(), false, world.now() + nanos);
        Optional<ClusterMember> replica = cuts.replica(cluster, owner);
        replica.ifPresent(ClusterMember::takeOver);
        world.after(nanos - upTo(300 * MILLI), () -> replica.filter(one -> one.known.isPrimary())
                .filter(next -> !owner.known.isPrimary() && owner.primary() == next.index)
                .ifPresent(next -> {
                    long until = Math.min(world.now() + LAST, end);
                    cluster.links.separate(List.of(next), until);
                    clients.stream()
                            .filter(client -> client != absent)
                            .forEach(client -> cuts.hide(client, cluster, List.of(owner), true, until));
                    owner.takeOver();
                    askOften(absent, world.now(), 20, 6_000 * MILLI);
                }));
    }

    /** By a vote, without the consent of the primary, or without a vote. */
    private void replace(SimulatedCluster cluster, ClusterMember owner) {
        boolean byVote = random.nextBoolean();
        cuts.replica(cluster, owner).ifPresent(byVote ? ClusterMember::failOver : ClusterMember::takeOver);
    }

    private void move(SimulatedCluster cluster, int part, boolean whole, Runnable then) {
        ClusterMember from = cluster.owner(part);
        ClusterMember to = cuts.another(cluster, from);
        cluster.beginMove(part, from, to);
        world.after(
                upTo(500 * MILLI),
                () -> cluster.moveKeys(part, from, to, whole ? Integer.MAX_VALUE : random.nextInt(4), () -> {
                    to.assign(part, to.index);
                    world.after(upTo(200 * MILLI), () -> {
                        endMove(part, from, to);
                        then.run();
                    });
                }));
    }

    /** There and back before most clients look. */
    private void takeUnseen(SimulatedCluster cluster, int part) {
        ClusterMember from = cluster.owner(part);
        ClusterMember to = cuts.another(cluster, from);
        take(cluster, part, from, to);
        world.after(upTo(100 * MILLI), () -> take(cluster, part, to, from));
        clients.forEach(client -> askOften(client, world.now(), 10, 500 * MILLI));
    }

    /** No script runs there in between. */
    private void takeUnlisted(SimulatedCluster cluster, ClusterMember owner) {
        int home = cluster.home();
        if (home == cluster.parts.named()) {
            return;
        }
        ClusterMember to = cuts.another(cluster, owner);
        cluster.beginMove(home, owner, to);
        world.after(upTo(SHORTEST_MOVE), () -> {
            owner.process
                    .keys(key -> cluster.parts.of(key) == home && key.endsWith(":used"))
                    .forEach(key -> owner.process.migrate(key, to.process));
            owner.moves.setStable(home);
            to.moves.setStable(home);
            takeUnseen(cluster, cluster.parts.named());
        });
    }

    /** Each key that is in the slot is lost. */
    private static void take(SimulatedCluster cluster, int part, ClusterMember from, ClusterMember to) {
        cluster.beginMove(part, from, to);
        to.assign(part, to.index);
        endMove(part, from, to);
    }

    /** The former place is told too, if the next one has taken the slot. */
    private static void endMove(int part, ClusterMember from, ClusterMember to) {
        if (to.known.has(part)) {
            from.assign(part, to.index);
        }
        from.moves.setStable(part);
        to.moves.setStable(part);
    }

    /**
     * One client does not reach the cluster meanwhile, or is paused when it has perhaps heard of the move, and asks for
     * locks at once when it is back.
     */
    private void giveUpUnseen(SimulatedCluster cluster) {
        Client absent = clients.get(random.nextInt(clients.size()));
        long last = giveUp(cluster, cluster.parts.named());
        if (random.nextInt(4) == 0) {
            long back = last + upTo(1_000 * MILLI);
            cuts.hide(absent, cluster, List.of(), false, back);
            askOften(absent, back, 10, 1_000 * MILLI);
        } else {
            long back = last + upTo(50 * MILLI);
            world.after(upTo(SHORTEST_MOVE), () -> absent.machine.pause(back));
            askOften(absent, back, 10, 100 * MILLI);
        }
    }

    /** A client asks for locks, so often in that time from a moment on. */
    private void askOften(Client client, long from, int times, long nanos) {
        for (int i = 0; i < times; i++) {
            long moment = from + upTo(nanos);
            if (moment < end) {
                world.at(moment, client::tryOnce);
            }
        }
    }

    /** Returns when it is given up. */
    private long giveUp(SimulatedCluster cluster, int part) {
        ClusterMember from = cluster.owner(part);
        ClusterMember to = cuts.another(cluster, from);
        long last = world.now() + SHORTEST_MOVE + upTo(1_000 * MILLI);
        cluster.beginMove(part, from, to);
        world.after(
                upTo(SHORTEST_MOVE),
                () -> cluster.moveKeys(part, from, to, random.nextInt(8), () -> {
                    world.at(last, () -> {
                        from.moves.setStable(part);
                        to.moves.setStable(part);
                        cluster.givenUp(from, part);
                    });
                }));
        return last;
    }

    /** An operator gives up the rest of the move at the end, when clients have seen for long what was left of it. */
    private void crashWhileMoving(SimulatedCluster cluster, int part) {
        if (left() < SETTLED) {
            return;
        }
        ClusterMember from = cluster.owner(part);
        ClusterMember to = cuts.another(cluster, from);
        cluster.beginMove(part, from, to);
        world.after(
                upTo(SHORTEST_MOVE),
                () -> cluster.moveKeys(part, from, to, random.nextInt(8), () -> {
                    from.process.crash(upTo(left()));
                    if (random.nextInt(4) == 0) {
                        to.process.crash(upTo(left()));
                    }
                }));
        world.after(left(), () -> {
            from.moves.setStable(part);
            to.moves.setStable(part);
            cluster.givenUp(cluster.owner(part), part);
        });
    }

    private void moveHome(SimulatedCluster cluster, ClusterMember owner) {
        int home = cluster.home();
        if (home == cluster.parts.named()) {
            return;
        }
        if (random.nextInt(4) == 0) {
            giveUp(cluster, home);
            return;
        }
        move(cluster, home, true, () -> {
            if (random.nextInt(3) > 0) {
                world.after(upTo(left()), () -> comeBack(cluster, home, owner));
            }
        });
    }

    /**
     * What a primary keeps of itself comes to another one, mostly to one without slots, before the slot of the names:
     * it says that the slot was there for long.
     */
    private void takeAfterHome(SimulatedCluster cluster, ClusterMember owner) {
        int home = cluster.home();
        int named = cluster.parts.named();
        if (home == named) {
            return;
        }
        ClusterMember to = cluster.members().stream()
                .filter(one ->
                        one.known.isPrimary() && one.known.partsOf(one.index).isEmpty())
                .findFirst()
                .orElseGet(() -> cuts.another(cluster, owner));
        cluster.beginMove(home, owner, to);
        cluster.moveKeys(home, owner, to, Integer.MAX_VALUE, () -> {
            to.assign(home, to.index);
            endMove(home, owner, to);
            if (cluster.owner() == owner && to.known.isPrimary()) {
                take(cluster, named, owner, to);
            }
        });
    }

    private void comeBack(SimulatedCluster cluster, int home, ClusterMember owner) {
        ClusterMember from = cluster.owner(home);
        if (from != owner && owner.known.isPrimary()) {
            cluster.beginMove(home, from, owner);
            cluster.moveKeys(home, from, owner, Integer.MAX_VALUE, () -> {
                owner.assign(home, owner.index);
                endMove(home, from, owner);
            });
        }
    }
}
