// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.redis.address.HostPort;

/**
 * A node of a cluster, and what it knows of the others: what they claim in their messages, as in Redis' cluster.c, from
 * which the order of all decisions here is. What is done to it comes from {@link SimulatedCluster}.
 */
final class ClusterMember {

    static final int NONE = -1;

    private static final long MILLI = 1_000_000L;

    /** How often it sends a message to each other one, and does what is due. */
    private static final long CRON = 200 * MILLI;

    final int index;
    final String id;
    final HostPort place;
    final SimulatedNode process;
    private final SimulatedCluster cluster;
    private final World world;

    /** Which node has the slots of each part, as far as this one knows. */
    private final int[] owners;

    /** Parts that their owner does not claim any more: whichever node claims them next has them. */
    private final boolean[] unclaimed;

    private final long[] epochs;

    /** Whose replica each one is; {@link #NONE} for a primary. */
    private final int[] primaries;

    private final boolean[] failed;
    private final long[] failedAt;
    private final boolean[] suspected;
    private final long[] heardAt;
    private final Map<Integer, Map<Integer, Long>> reports = new HashMap<>();

    /** To which node the slots of a part are being moved. */
    private final int[] migrating;

    private final boolean[] importing;
    private int incarnation;
    private long epoch;
    private long votedIn;
    private long electionAt = Long.MAX_VALUE;
    private long electionEpoch;
    private boolean forced;

    /** Another one has taken its place, and it can write no more, see {@link SimulatedCluster#isDurable}. */
    private boolean fenced;

    private final Set<Integer> votes = new HashSet<>();

    /** What each message says of its sender, or of the primary of that. */
    record Header(int from, int primary, long current, long epoch, BitSet claims, BitSet suspects) {

        int owner() {
            return primary == NONE ? from : primary;
        }
    }

    ClusterMember(SimulatedCluster cluster, World world, int index, int members, int parts, SimulatedNode process) {
        this.cluster = cluster;
        this.world = world;
        this.index = index;
        this.process = process;
        this.id = String.format("%040x", world.random.nextInt(Integer.MAX_VALUE) * 16L + index);
        this.place = new HostPort("10.0.0.1", 1 + 100 * cluster.voter() + index);
        this.owners = new int[parts];
        this.unclaimed = new boolean[parts];
        this.epochs = new long[members];
        this.primaries = new int[members];
        this.failed = new boolean[members];
        this.failedAt = new long[members];
        this.suspected = new boolean[members];
        this.heardAt = new long[members];
        this.migrating = new int[parts];
        this.importing = new boolean[parts];
        Arrays.fill(migrating, NONE);
        process.join("member-" + index, this::refusal, cluster::granted);
        world.after((long) (world.random.nextDouble() * CRON), this::cron);
    }

    /** All nodes know each other, and which node has which slots. */
    void begin(int[] owner, int[] primaryOf, long[] epochOf) {
        System.arraycopy(owner, 0, owners, 0, owners.length);
        System.arraycopy(primaryOf, 0, primaries, 0, primaries.length);
        System.arraycopy(epochOf, 0, epochs, 0, epochs.length);
        epoch = Arrays.stream(epochOf).max().orElseThrow();
    }

    boolean isPrimary() {
        return primaries[index] == NONE;
    }

    int primary() {
        return primaries[index];
    }

    int owner(int part) {
        return owners[part];
    }

    boolean has(int part) {
        return isPrimary() && owners[part] == index;
    }

    /** Returns its epoch, as far as it knows. */
    long ownEpoch() {
        return epochs[index];
    }

    private BitSet partsOf(int member) {
        BitSet parts = new BitSet();
        IntStream.range(0, owners.length).filter(part -> owners[part] == member).forEach(parts::set);
        return parts;
    }

    private boolean isVoter(int member) {
        return primaries[member] == NONE && !partsOf(member).isEmpty();
    }

    private int majority() {
        return (int) IntStream.range(0, epochs.length).filter(this::isVoter).count() / 2 + 1;
    }

    private Header header(int member) {
        int owner = primaries[member] == NONE ? member : primaries[member];
        BitSet suspects = new BitSet();
        IntStream.range(0, epochs.length)
                .filter(other -> suspected[other] || failed[other])
                .forEach(suspects::set);
        return new Header(member, primaries[member], epoch, epochs[owner], partsOf(owner), suspects);
    }

    private void broadcast() {
        Header said = header(index);
        others().forEach(other -> send(other, to -> to.hear(said, false)));
    }

    private IntStream others() {
        return IntStream.range(0, epochs.length).filter(other -> other != index);
    }

    private interface Message {
        void arrive(ClusterMember to);
    }

    private void send(int to, Message message) {
        cluster.send(index, to, () -> message.arrive(cluster.member(to)));
    }

    /** What is due from time to time. */
    private void cron() {
        world.after(CRON, this::cron);
        if (!process.isUp() || process.readyAt() > world.now()) {
            return;
        }
        if (process.incarnation() != incarnation) { // it knows what it knew, and has heard of none since
            incarnation = process.incarnation();
            Arrays.fill(heardAt, world.now());
            Arrays.fill(suspected, false);
        }
        others().forEach(other -> {
            if (world.now() - heardAt[other] > cluster.nodeTimeout()) {
                suspected[other] = true;
                failIfAgreed(other);
            }
            Header said = header(index);
            send(other, to -> to.hear(said, true));
        });
        runForElection();
    }

    /** @param asks whether it is to be answered */
    private void hear(Header said, boolean asks) {
        int from = said.from();
        epoch = Math.max(epoch, said.current());
        epochs[from] = Math.max(epochs[from], said.epoch());
        heardAt[from] = world.now();
        suspected[from] = false;
        learnRole(from, said.primary());
        unfail(from);
        if (said.primary() == NONE && !said.claims().equals(partsOf(from))) {
            take(from, said.epoch(), said.claims());
        }
        tellOfLargerEpochs(said);
        boolean collides = said.primary() == NONE && isPrimary() && said.epoch() == epochs[index];
        if (collides && id.compareTo(cluster.member(from).id) < 0) {
            epochs[index] = ++epoch;
        }
        listen(said);
        if (asks) {
            Header mine = header(index);
            send(from, to -> to.hear(mine, false));
        }
    }

    private void learnRole(int from, int primary) {
        if (primary != NONE && primaries[from] == NONE) {
            partsOf(from).stream().forEach(part -> owners[part] = NONE);
        }
        primaries[from] = primary;
    }

    /** A primary that is heard again after so long, and still has its slots, was not replaced, as far as it knows. */
    private void unfail(int member) {
        boolean replaced = primaries[member] != NONE || partsOf(member).isEmpty();
        boolean old = world.now() - failedAt[member] > 2 * cluster.nodeTimeout();
        if (failed[member] && (replaced || old)) {
            failed[member] = false;
        }
    }

    private void take(int sender, long senderEpoch, BitSet claims) {
        int current = isPrimary() ? index : primaries[index];
        boolean currentLost = false;
        BitSet dirty = new BitSet();
        for (int part = 0; part < owners.length; part++) {
            if (!claims.get(part)) {
                unclaimed[part] |= owners[part] == sender && cluster.dropsClaims();
            } else if (owners[part] == sender) {
                unclaimed[part] = false;
            } else if (!importing[part]
                    && (owners[part] == NONE || unclaimed[part] || epochs[owners[part]] < senderEpoch)) {
                dirty.set(part, owners[part] == index);
                currentLost |= owners[part] == current;
                owners[part] = sender;
                unclaimed[part] = false;
            }
        }
        dirty.stream().forEach(part -> {
            migrating[part] = NONE;
            cluster.channels().lost(this, part);
        });
        if (currentLost && partsOf(current).isEmpty()) {
            follow(sender);
        } else {
            dirty.stream().forEach(part -> process.dropSlot(key -> cluster.parts.of(key) == part));
        }
    }

    private void follow(int primary) {
        primaries[index] = primary;
        Arrays.fill(migrating, NONE);
        Arrays.fill(importing, false);
        process.role.becomeReplica();
        fenced = false;
    }

    /** Another node has these slots, by a larger epoch. */
    private void tellOfLargerEpochs(Header said) {
        said.claims().stream()
                .filter(part -> owners[part] != NONE
                        && owners[part] != said.owner()
                        && !unclaimed[part]
                        && epochs[owners[part]] > said.epoch())
                .map(part -> owners[part])
                .distinct()
                .forEach(owner -> {
                    long known = epochs[owner];
                    BitSet parts = partsOf(owner);
                    send(said.from(), to -> to.update(owner, known, parts));
                });
    }

    private void update(int owner, long ownersEpoch, BitSet parts) {
        if (owner != index && epochs[owner] < ownersEpoch) {
            primaries[owner] = NONE;
            epochs[owner] = ownersEpoch;
            take(owner, ownersEpoch, parts);
        }
    }

    private void listen(Header said) {
        if (!isVoter(said.from())) {
            return;
        }
        for (int member = 0; member < epochs.length; member++) {
            Map<Integer, Long> of = reports.computeIfAbsent(member, any -> new HashMap<>());
            if (said.suspects().get(member)) {
                of.put(said.from(), world.now());
                failIfAgreed(member);
            } else {
                of.remove(said.from());
            }
        }
    }

    private void failIfAgreed(int member) {
        long count = reports.getOrDefault(member, Map.of()).values().stream()
                        .filter(at -> world.now() - at < 2 * cluster.nodeTimeout())
                        .count()
                + (isPrimary() ? 1 : 0);
        if (suspected[member] && !failed[member] && count >= majority()) {
            fail(member);
            if (isPrimary()) {
                others().forEach(other -> send(other, to -> to.fail(member)));
            }
        }
    }

    private void fail(int member) {
        if (member != index && !failed[member]) {
            failed[member] = true;
            failedAt[member] = world.now();
        }
    }

    /** A replica asks for votes when its primary has failed, or when an operator says so. */
    private void runForElection() {
        if (isPrimary() || partsOf(primaries[index]).isEmpty() || !failed[primaries[index]] && !forced) {
            electionAt = Long.MAX_VALUE;
            electionEpoch = 0;
            return;
        }
        if (electionAt == Long.MAX_VALUE) {
            electionAt = world.now() + (forced ? 0 : (long) ((1 + world.random.nextDouble()) * CRON));
        }
        if (electionEpoch == 0 && world.now() >= electionAt) {
            electionEpoch = ++epoch;
            votes.clear();
            Header said = header(index);
            boolean force = forced;
            others().forEach(other -> send(other, to -> to.vote(said, force)));
        } else if (world.now() > electionAt + 2 * cluster.nodeTimeout()) { // no node was elected
            electionAt = Long.MAX_VALUE;
            electionEpoch = 0;
            forced = false;
        }
    }

    private void vote(Header said, boolean force) {
        epoch = Math.max(epoch, said.current());
        boolean entitled = isVoter(index) && said.current() >= epoch && votedIn < epoch && said.primary() != NONE;
        boolean known = primaries[said.from()] != NONE && (failed[primaries[said.from()]] || force);
        boolean current = said.claims().stream()
                .allMatch(part -> owners[part] == NONE || unclaimed[part] || epochs[owners[part]] <= said.epoch());
        if (entitled && known && current) {
            votedIn = epoch;
            long in = epoch;
            send(said.from(), to -> to.count(index, in));
        }
    }

    private void count(int voter, long in) {
        if (isPrimary() || electionEpoch == 0 || in < electionEpoch || !isVoter(voter)) {
            return;
        }
        votes.add(voter);
        if (votes.size() >= majority()) {
            promote(electionEpoch);
        }
    }

    private void promote(long newEpoch) {
        int former = primaries[index];
        BitSet parts = partsOf(former);
        if (cluster.isDurable()) {
            cluster.member(former).fence(parts);
        }
        primaries[index] = NONE;
        epochs[index] = newEpoch;
        forced = false;
        electionEpoch = 0;
        electionAt = Long.MAX_VALUE;
        parts.stream().forEach(part -> {
            owners[part] = index;
            unclaimed[part] = false;
        });
        process.role.promote(cluster.member(former).process);
        cluster.promoted(this);
        broadcast();
    }

    /** It can write no more. What it has besides is known where it was written. */
    private void fence(BitSet parts) {
        fenced = true;
        IntStream.range(0, owners.length).filter(this::has).forEach(parts::set);
    }

    /** An operator has it take the place of its primary, which may be well. */
    void failOver() {
        if (!isPrimary()) {
            forced = true;
            electionAt = Long.MAX_VALUE;
            electionEpoch = 0;
            runForElection();
        }
    }

    /** An operator has it take the place of its primary without a vote. */
    void takeOver() {
        if (!isPrimary()) {
            epoch = Math.max(epoch, Arrays.stream(epochs).max().orElseThrow()) + 1;
            promote(epoch);
        }
    }

    /** An operator lets it take the slots of a part from another node. */
    void beginImport(int part) {
        importing[part] = isPrimary() && owners[part] != index;
    }

    void beginMigration(int part, int to) {
        if (has(part)) {
            migrating[part] = to;
        }
    }

    boolean isMigrating(int part) {
        return migrating[part] != NONE;
    }

    boolean isImporting(int part) {
        return importing[part];
    }

    /** An operator gives the move of a part up. */
    void setStable(int part) {
        migrating[part] = NONE;
        importing[part] = false;
    }

    /** An operator ends the move of a part, and says at this node which one has it now. */
    void assign(int part, int to) {
        if (!isPrimary()
                || has(part)
                        && to != index
                        && !process.keys(key -> cluster.parts.of(key) == part).isEmpty()) {
            return; // it refuses while it has keys
        }
        migrating[part] = NONE;
        boolean imported = to == index && importing[part];
        importing[part] = false;
        if (to == index && !imported) {
            return; // excluded in writing
        }
        int before = owners[part];
        owners[part] = to;
        unclaimed[part] = false;
        if (imported) {
            raiseEpoch();
            cluster.imported(this, part, before);
            broadcast();
        } else if (before == index) {
            cluster.channels().lost(this, part);
            process.dropSlot(key -> cluster.parts.of(key) == part);
        }
    }

    /** It takes the next epoch without a vote, as when it has imported a slot, if its own is not the largest. */
    void raiseEpoch() {
        long largest = Math.max(epoch, Arrays.stream(epochs).max().orElseThrow());
        if (epochs[index] != largest) {
            epoch = largest + 1;
            epochs[index] = epoch;
        }
    }

    private boolean isWell() {
        long all = IntStream.range(0, epochs.length).filter(this::isVoter).count();
        long reachable = IntStream.range(0, epochs.length)
                .filter(this::isVoter)
                .filter(member -> member == index || !failed[member] && !suspected[member])
                .count();
        return reachable >= all / 2 + 1;
    }

    private Optional<String> refusal(List<String> keys, List<String> arguments) {
        if (!isPrimary()) {
            return Optional.of("MOVED 0 elsewhere: a replica");
        }
        if (fenced) {
            return Optional.of("CLUSTERDOWN another node has its place");
        }
        if (!isWell()) {
            return Optional.of("CLUSTERDOWN The cluster is down");
        }
        int missing = 0;
        for (String key : keys) {
            int part = cluster.parts.of(key);
            if (owners[part] != index) {
                return Optional.of("MOVED 0 elsewhere");
            }
            missing += isMigrating(part) && process.redis().expiresAt(key) == null ? 1 : 0;
        }
        if (missing > 0) {
            return Optional.of(missing < keys.size() ? "TRYAGAIN Multiple keys request" : "ASK 0 elsewhere");
        }
        boolean reaches = arguments.stream()
                .filter(argument -> argument.endsWith(":birth") || argument.endsWith(":heartbeat"))
                .allMatch(key -> owners[cluster.parts.of(key)] == index
                        && (!isMigrating(cluster.parts.of(key))
                                || process.redis().expiresAt(key) != null));
        return reaches
                ? Optional.empty()
                : Optional.of("ERR Script attempted to access a non local key in a cluster node");
    }

    /** Returns what it answers to {@code CLUSTER NODES}. */
    String nodes() {
        List<String> lines = new ArrayList<>();
        for (int member = 0; member < epochs.length; member++) {
            ClusterMember named = cluster.member(member);
            String role = primaries[member] == NONE ? "master" : "slave";
            String flags = (member == index ? "myself," : "")
                    + role
                    + (failed[member] ? ",fail" : suspected[member] && member != index ? ",fail?" : "");
            String of = primaries[member] == NONE ? "-" : cluster.member(primaries[member]).id;
            String slots = primaries[member] != NONE
                    ? ""
                    : partsOf(member).stream().mapToObj(cluster.parts::ranges).collect(Collectors.joining());
            String open = member == index ? openSlots() : "";
            lines.add(named.id + " " + named.place + "@17000 " + flags + " " + of + " 0 0 " + epochs[member]
                    + " connected" + slots + open);
        }
        return String.join("\n", lines) + "\n";
    }

    private String openSlots() {
        StringBuilder open = new StringBuilder();
        for (int part = 0; part < owners.length; part++) {
            if (migrating[part] != NONE) {
                String to = cluster.member(migrating[part]).id;
                cluster.parts.slots(part).stream().forEach(slot -> open.append(" [" + slot + "->-" + to + "]"));
            }
        }
        return open.toString();
    }

    @Override
    public String toString() {
        String role =
                isPrimary() ? "@" + epochs[index] + " of parts " : " replica of " + primaries[index] + ", owners ";
        return "member-" + index + role + (isPrimary() ? partsOf(index) + ", owners " : "") + Arrays.toString(owners);
    }
}
