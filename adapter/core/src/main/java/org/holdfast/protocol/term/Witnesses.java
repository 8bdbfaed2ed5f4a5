// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.List;
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
     * @param fellows the ids of the witnesses that it knows, its own included, as far as it says
     * @param processes the ids of the processes that it knows: the one that it names, and those that may take its
     *     place; empty for a moment after a failover
     * @param standbys where those are that may take its place
     */
    public record Testimony(
            String witness,
            String place,
            long epoch,
            int group,
            Set<String> fellows,
            Set<String> processes,
            Set<String> standbys) {

        public Testimony {
            fellows = Set.copyOf(fellows);
            processes = Set.copyOf(processes);
            standbys = Set.copyOf(standbys);
        }

        private Agreement agreement() {
            return new Agreement(place, epoch);
        }
    }

    /** What a majority says. */
    public record Agreement(String place, long epoch) {}

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
     */
    public static Optional<Agreement> agree(int known, List<Testimony> heard) {
        int needed = needed(known, heard);
        for (Testimony one : heard) {
            Agreement agreement = one.agreement();
            long voices = heard.stream()
                    .filter(it -> it.agreement().equals(agreement))
                    .map(Testimony::witness)
                    .distinct()
                    .count();
            if (voices >= needed) {
                return Optional.of(agreement);
            }
        }
        return Optional.empty();
    }
}
