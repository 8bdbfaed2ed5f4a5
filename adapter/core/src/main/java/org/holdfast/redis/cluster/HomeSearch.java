// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.List;
import java.util.Optional;

/**
 * Finds in which slot a shard keeps what it knows of itself, and has all clients look there.
 *
 * <p>A client that has no home, and finds no sign at its door, looks in all slots of the node for one, from a time at
 * which the door was another. If it began a second home, what clients have noted before would be missing there. What
 * they note there would be missing at the first one when the second goes.
 */
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
         * Returns the signs in slots, an empty text for none or where the node has lost the slot; nothing for one that
         * cannot be read while its slot is moved.
         */
        List<Optional<String>> signs(List<String> tags);

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
        String searchedAt = "";
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<String> door = home.doorTag(); // its slots may go in this moment
            Optional<String> seen = door.flatMap(doors::sign);
            if (seen.isEmpty()) {
                return unread(door);
            }
            Home.Step step = home.next(door.get(), seen.get(), doors.ids());
            if (step instanceof Home.Step.WriteSign && !home.isFound() && !searchedAt.equals(door.get())) {
                searchedAt = door.get();
                List<String> tags = home.otherTags();
                List<Optional<String>> signs = doors.signs(tags);
                int unread = signs.indexOf(Optional.<String>empty());
                if (unread >= 0) {
                    return unread(Optional.of(tags.get(unread)));
                }
                if (home.takeOther(tags, signs, doors.ids())) {
                    continue;
                }
            }
            Optional<String> leading = take(step, door.get(), seen.get());
            if (leading.isPresent()) {
                return lead(door.get(), leading.get());
            }
        }
        return Optional.empty();
    }

    /** A client that has leases there renews them; one that has just started does not use the node. */
    private Optional<Lead> unread(Optional<String> tag) {
        if (tag.isPresent() && !home.wasFound()) {
            throw doors.unreadable(tag.get());
        }
        return Optional.empty();
    }

    /** Clients that find no sign at their door look for the one at the home. */
    private Optional<Lead> lead(String door, String sign) {
        Optional<String> at = home.tag();
        Optional<String> seen = at.filter(tag -> !tag.equals(door)).flatMap(doors::sign);
        String here = home.hereSign(doors.ids());
        if (seen.isPresent() && !seen.get().equals(here)) {
            doors.write(at.get(), seen.get(), here, false);
        }
        return at.map(tag -> new Lead(door, sign, tag));
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
