// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

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

        Agreement agreement() {
            return new Agreement(place, epoch);
        }
    }

    /** What a majority says of where the process is. */
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

    /**
     * Returns the ids of the processes of which a majority says the same, by where they are.
     *
     * <p>The way of one witness may lead to another process, as that of a client may.
     */
    static Map<String, String> processes(int known, List<Testimony> heard) {
        int needed = needed(known, heard);
        Map<Map.Entry<String, String>, Set<String>> voices = new HashMap<>();
        for (Testimony one : heard) {
            for (Map.Entry<String, String> process : one.processes().entrySet()) {
                voices.computeIfAbsent(Map.entry(process.getKey(), process.getValue()), any -> new HashSet<>())
                        .add(one.witness());
            }
        }
        return voices.entrySet().stream()
                .filter(entry -> entry.getValue().size() >= needed)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
