// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts what witnesses, such as Sentinels, say about which process a voter is.
 *
 * <p>A majority must say the same, the epoch included. Two majorities share a witness, and what one witness says never
 * goes back: so the answers of a majority to one client and those to another are in an order, see {@link Terms}.
 */
public final class Witnesses {

    private Witnesses() {}

    /**
     * What one witness says.
     *
     * @param witness which one it is: two addresses may lead to one, which is one voice
     * @param place where the process is
     * @param epoch grows each time that the witnesses name another process
     * @param group how many witnesses there are, as far as this one knows, itself included
     * @param fellows the ids of the witnesses that it knows, its own included; without its own if it does not say it
     * @param process the id of the process that it names; empty while it has not asked it, as after a failover
     * @param standbys the ids of the processes that may take its place, by where they are; empty where it has not asked
     *     one yet
     */
    public record Testimony(
            String witness,
            String place,
            long epoch,
            int group,
            Set<String> fellows,
            String process,
            Map<String, String> standbys) {

        public Testimony {
            fellows = Set.copyOf(fellows);
            standbys = Map.copyOf(standbys);
        }

        /** Returns the ids of the processes that it knows, by where they are. */
        Map<String, String> processes() {
            Map<String, String> processes = new HashMap<>(standbys);
            processes.put(place, process);
            processes.values().removeIf(String::isEmpty);
            return processes;
        }

        /** Returns where the process is that it names, and where those are that may take its place. */
        Set<String> places() {
            Set<String> places = new HashSet<>(standbys.keySet());
            places.add(place);
            return places;
        }

        /** Returns whether this one knows another one, as far as both say. */
        private boolean knows(Testimony other) {
            return fellows.contains(other.witness())
                    || fellows.isEmpty()
                    || !other.fellows().contains(other.witness());
        }

        private Agreement agreement() {
            return new Agreement(place, epoch, process);
        }
    }

    /**
     * What a majority says.
     *
     * @param place where the process is
     * @param epoch grows each time that the witnesses name another place
     * @param process its id; empty where the place itself is that
     */
    public record Agreement(String place, long epoch, String process) {

        /** Names a place at which there is never another process. */
        public Agreement(String place, long epoch) {
            this(place, epoch, "");
        }
    }

    /**
     * Returns how many must say the same: a majority of those that this process knows, and of those that the witnesses
     * know. Else one that was cut off from the others could be a majority of itself.
     *
     * @param known how many witnesses this process knows
     */
    public static int needed(int known, List<Testimony> heard) {
        int all = heard.stream().mapToInt(Testimony::group).reduce(known, Math::max);
        return all / 2 + 1;
    }

    /**
     * Returns what a majority says; empty if there is none.
     *
     * <p>They must name the same epoch too. A witness that has missed a failover and the one back names the present
     * process by chance, in an epoch that is over. It may learn of the first of the two next, and would be one of a
     * majority for the process between.
     *
     * <p>And they must know the same process there, for more than one may be found at a place: by another way, or one
     * after the other. A witness that has not asked it has no voice: what was at the place before is no answer, for one
     * that was told to forget, or reaches nothing, would have two clients believe two processes.
     */
    public static Optional<Agreement> agree(int known, List<Testimony> heard) {
        int needed = needed(known, heard);
        for (Testimony one : heard) {
            Agreement agreement = one.agreement();
            if (agreement.process().isEmpty()) {
                continue;
            }
            if (voices(one, heard) >= needed) {
                return Optional.of(agreement);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns how many say the same as this one, of witnesses that all know each other. One that was replaced, and goes
     * on where its successor is not heard, is known by others no more: it would be a majority together with them, and
     * its successor be one, too.
     */
    private static int voices(Testimony one, List<Testimony> heard) {
        Map<String, Testimony> voices = new HashMap<>();
        voices.put(one.witness(), one);
        for (Testimony other : heard) {
            if (other.agreement().equals(one.agreement())
                    && voices.values().stream().allMatch(voice -> voice.knows(other) && other.knows(voice))) {
                voices.put(other.witness(), other);
            }
        }
        return voices.size();
    }
}
