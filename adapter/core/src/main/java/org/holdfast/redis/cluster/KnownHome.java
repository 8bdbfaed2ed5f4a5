// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.env.Time;

/**
 * What a client knows of the {@link Home} of a shard.
 *
 * <p>Safe for use by any number of threads.
 */
final class KnownHome {

    /** Clients look once a second: one that has not for so long does not ask for a new lock before it does. */
    private static final long LED_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);

    private final Time time;

    /** Which slots the node says that it has: all clients hear the same of it. */
    private volatile BitSet slots = new BitSet();

    private volatile Home home = new Home("", -1);

    /** Whether this client has found it by a sign: it leaves it by a sign only. */
    private volatile boolean isFound;

    /** When a look has found that a sign leads there; empty if none has, or something has changed since. */
    private volatile OptionalLong ledAt = OptionalLong.empty();

    /** When a look there was over last that has found that a sign leads there, whatever has changed since. */
    private volatile OptionalLong keptAt = OptionalLong.empty();

    private volatile boolean wasFound;

    KnownHome(Time time) {
        this.time = time;
    }

    Home now() {
        return home;
    }

    /** Returns the hash tag of the keys that are kept there; empty if the node has no slots. */
    Optional<String> tag() {
        return tagOf(home);
    }

    /** Returns the hash tag of the slot in which a client looks for the sign; empty if the node has no slots. */
    Optional<String> doorTag() {
        return tagOf(Home.atTheDoor("", slots));
    }

    private static Optional<String> tagOf(Home home) {
        return Optional.of(home.tag()).filter(tag -> !tag.isEmpty());
    }

    boolean isFound() {
        return isFound;
    }

    /** Returns whether this client has had one on some node: it may have leases there. */
    boolean wasFound() {
        return wasFound;
    }

    /** Takes which node the shard is, and which slots that has. */
    synchronized void see(String node, BitSet present) {
        boolean hasSameDoor = Slot.homeOf(slots) == Slot.homeOf(present);
        slots = present;
        Home next = isFound ? home.of(node, present) : Home.atTheDoor(node, present);
        isFound &= next.slot() == home.slot();
        if (!hasSameDoor || !next.equals(home)) {
            ledAt = OptionalLong.empty(); // the sign at the new door was not read yet
        }
        if (!next.equals(home)) {
            keptAt = OptionalLong.empty();
        }
        home = next;
    }

    /** Returns what the client does that has found a sign at a door, see {@link Home#next}. */
    synchronized Home.Step next(String door, String sign, ReplicationIds ids) {
        return home.next(slots, Slot.of(door), sign, ids, !isFound, isOfLate(keptAt));
    }

    /** Returns the sign that stands at the home. */
    String hereSign(ReplicationIds ids) {
        Home known = home;
        return Sign.in(known.slot(), known.slot(), new ReplicationIds.Owner(known.node(), ids.present()))
                .toString();
    }

    synchronized void follow(Home to) {
        if (to.node().equals(home.node()) && slots.get(to.slot())) {
            ledAt = OptionalLong.empty();
            keptAt = OptionalLong.empty();
            home = to;
            isFound = true;
            wasFound = true;
        }
    }

    /** The node was not heard of for a while: it may have been without that slot, and clients may look elsewhere. */
    synchronized void missed() {
        isFound = false;
        ledAt = OptionalLong.empty();
        keptAt = OptionalLong.empty();
    }

    /** Returns the hash tags of the slots in which there may be another home. */
    List<String> otherTags() {
        return slots.stream()
                .filter(slot -> slot != home.slot())
                .mapToObj(Slot::tag)
                .toList();
    }

    /**
     * Takes what stands in these slots: another home of this node is the one.
     *
     * @param signs of these slots, in the same order
     * @return whether there is one
     */
    synchronized boolean takeOther(List<String> tags, List<Optional<String>> signs, ReplicationIds ids) {
        BitSet homes = new BitSet();
        for (int i = 0; i < signs.size(); i++) {
            int slot = Slot.of(tags.get(i));
            boolean isHome = signs.get(i)
                    .flatMap(Sign::parse)
                    .filter(sign -> sign.writer().isNowOrWasBefore(home.node(), ids))
                    .filter(sign -> sign.leadsTo(slot) == slot)
                    .isPresent();
            homes.set(slot, isHome);
        }
        homes.and(slots);
        if (!homes.isEmpty()) {
            follow(new Home(home.node(), Slot.homeOf(homes)));
        }
        return !homes.isEmpty();
    }

    /**
     * Takes what a look has found to lead there; empty for nothing.
     *
     * @return that; empty also if the node has another door or home by now
     */
    synchronized Optional<HomeSearch.Lead> find(Optional<HomeSearch.Lead> found) {
        Optional<HomeSearch.Lead> lead =
                found.filter(it -> doorTag().equals(Optional.of(it.door())) && tag().equals(Optional.of(it.home())));
        isFound |= lead.isPresent();
        wasFound |= isFound;
        if (lead.isEmpty()) {
            ledAt = OptionalLong.empty();
        }
        return lead;
    }

    /**
     * A look is over that has found what leads there; empty if it has not, or other clients may know more.
     *
     * @param begunAt when it began: this client may have stood still since
     */
    synchronized void isLedBy(Optional<HomeSearch.Lead> found, long begunAt) {
        if (find(found).isPresent()) {
            ledAt = OptionalLong.of(begunAt);
            keptAt = ledAt;
        } else {
            ledAt = OptionalLong.empty();
        }
    }

    /** Returns whether a look has found a moment ago that a sign leads there, and so all other clients. */
    boolean isShared() {
        return isOfLate(ledAt);
    }

    private boolean isOfLate(OptionalLong at) {
        return at.isPresent() && time.nanoTime() - at.getAsLong() < LED_NANOS;
    }
}
