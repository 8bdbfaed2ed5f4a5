// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.List;
import java.util.Optional;

/** Finds in which slot a shard keeps what it knows of itself, and has all clients look there. */
public final class HomeSearch {

    /** So often a sign is compared and written; then not before the next look. */
    private static final int MOST_ROUNDS = 3;

    private final KnownHome home;
    private final Doors doors;

    /** What stands in the slots of the node, as one client reads and writes it. */
    public interface Doors {

        /** Returns the sign in a slot, an empty text for none; nothing if it cannot be read while the slot is moved. */
        Optional<String> sign(String tag);

        /**
         * Returns the signs in slots, an empty text for none or where the node has lost the slot.
         *
         * @throws RuntimeException as {@link #unreadable} if one cannot be read
         */
        List<String> signs(List<String> tags);

        /** Returns the ids of the node's data, after a sign was read. */
        ReplicationIds ids();

        /** Returns why the node is not used while the sign in a slot cannot be read: clients may look elsewhere. */
        RuntimeException unreadable(String tag);

        /**
         * Writes a sign.
         *
         * @param seen the sign that stood there
         * @param voids whether a birth mark there is void from then on
         * @return false if another one stands there by now, or the slot is being moved
         */
        boolean write(String tag, String seen, String sign, boolean voids);
    }

    /**
     * What leads to the home of a shard.
     *
     * @param door the hash tag of the slot in which it stands
     * @param home the hash tag of the slot to which it leads
     */
    public record Lead(String door, String sign, String home) {}

    public HomeSearch(Shard shard, Doors doors) {
        this.home = shard.home();
        this.doors = doors;
    }

    /**
     * Searches.
     *
     * @return what leads there; empty if that cannot be read or written now: then no look is noted, and no lock is
     *     asked for, since other clients may have another home
     */
    public Optional<Lead> search() {
        return home.find(find());
    }

    private Optional<Lead> find() {
        boolean isAlone = home.isFound(); // else there may be another home, from a time at which the door was another
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<String> door = home.doorTag(); // its slots may go in this moment
            Optional<String> seen = door.flatMap(doors::sign);
            if (seen.isEmpty() && door.isPresent() && !home.isFound()) {
                throw doors.unreadable(door.get());
            }
            if (seen.isEmpty()) {
                break;
            }
            Home.Step step = home.next(door.get(), seen.get(), doors.ids());
            if (step instanceof Home.Step.WriteSign && !isAlone) {
                isAlone = true;
                if (isElsewhere()) {
                    continue;
                }
            }
            Optional<String> leading = take(step, door.get(), seen.get());
            if (leading.isPresent()) {
                return home.tag().map(tag -> new Lead(door.get(), leading.get(), tag));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the node has a home where this client, which has just started or has lost its own, did not look.
     * If it began another one, what clients have noted before would be missing there, and what they note here would be
     * missing at the other one when this one goes.
     */
    private boolean isElsewhere() {
        List<String> tags = home.otherTags();
        List<String> signs = doors.signs(tags);
        return home.takeOther(tags, signs, doors.ids());
    }

    /** Returns the sign that leads to the home after that; empty if it is to be read once more. */
    private Optional<String> take(Home.Step step, String door, String seen) {
        if (step instanceof Home.Step.WriteSign write) {
            return doors.write(door, seen, write.sign(), write.voids()) ? Optional.of(write.sign()) : Optional.empty();
        }
        if (step instanceof Home.Step.Follow follow) {
            follow(follow);
            return Optional.empty(); // what stands at the door may still be of the node before
        }
        return Optional.of(seen);
    }

    private void follow(Home.Step.Follow step) {
        if (!step.leaves().isEmpty()) {
            String sign = doors.sign(step.leaves()).orElseThrow(() -> doors.unreadable(step.leaves()));
            if (!doors.write(step.leaves(), sign, step.sign(), true)) {
                return;
            }
        }
        home.follow(step.to());
    }
}
