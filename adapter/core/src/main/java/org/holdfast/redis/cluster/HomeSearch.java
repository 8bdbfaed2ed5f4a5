// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.util.Optional;

/** Finds in which slot a shard keeps what it knows of itself, and has all clients look there. */
public final class HomeSearch {

    /** So often a sign is compared and written; then not before the next look. */
    private static final int MOST_ROUNDS = 3;

    private final Shard shard;
    private final Doors doors;

    /** What stands in the slots of the node, as one client reads and writes it. */
    public interface Doors {

        /** Returns the sign in a slot, empty for none; nothing if it cannot be read, as the slot is being moved. */
        Optional<String> sign(String tag);

        /** Returns the ids of the node's data, after a sign was read. */
        ReplicationIds ids();

        /** Returns why the node is not used while the sign in a slot cannot be read: clients may look elsewhere. */
        RuntimeException unreadable(String tag);

        /** Returns the birth mark in a slot; empty for none, or if it cannot be read. */
        String mark(String tag);

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
     * A second home that clients have had until now.
     *
     * @param mark the birth mark there; empty for none
     */
    public record SecondHome(String tag, String seen, String sign, String mark) {}

    public HomeSearch(Shard shard, Doors doors) {
        this.shard = shard;
        this.doors = doors;
    }

    /**
     * Searches.
     *
     * @return what is to be {@link #end ended}, after it is known that nothing was noted there alone
     */
    public Optional<SecondHome> search() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<String> door = shard.doorTag(); // its slots may go in this moment
            if (door.isEmpty()) {
                break;
            }
            Optional<String> seen = doors.sign(door.get());
            if (seen.isEmpty() && shard.isHomeKnown()) {
                break; // others cannot change it meanwhile
            }
            if (seen.isEmpty()) {
                throw doors.unreadable(door.get());
            }
            Home.Step step = shard.homeStep(door.get(), seen.get(), doors.ids());
            if (step instanceof Home.Step.EndSecond second) {
                return Optional.of(new SecondHome(door.get(), seen.get(), second.sign(), doors.mark(door.get())));
            }
            if (isDone(step, door.get(), seen.get())) {
                break;
            }
        }
        return Optional.empty();
    }

    private boolean isDone(Home.Step step, String door, String seen) {
        if (step instanceof Home.Step.WriteSign write) {
            return doors.write(door, seen, write.sign(), write.voids());
        }
        if (step instanceof Home.Step.Follow follow) {
            follow(follow);
            return false; // what stands at the door may still be of the node before
        }
        return true;
    }

    private void follow(Home.Step.Follow step) {
        if (!step.leaves().isEmpty()) {
            String sign = doors.sign(step.leaves()).orElseThrow(() -> doors.unreadable(step.leaves()));
            if (!doors.write(step.leaves(), sign, step.sign(), true)) {
                return;
            }
        }
        shard.follow(step);
    }

    /** Has clients that look there look at the home of this client. */
    public void end(SecondHome second) {
        doors.write(second.tag(), second.seen(), second.sign(), true);
    }
}
