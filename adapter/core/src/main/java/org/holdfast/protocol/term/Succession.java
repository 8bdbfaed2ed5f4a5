// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.holdfast.protocol.term.Witnesses.Testimony;
import org.jspecify.annotations.Nullable;

/**
 * Which witnesses are heard: those of the voter, wherever the host names of witnesses lead.
 *
 * <p>The host names of witnesses may come to lead to others, which watch another process. They are a majority of their
 * own, and other clients go on with the former process. Nor do their ids tell them apart: some installations derive
 * these from names. But witnesses put no other process in the place of one than a replica that they know. So those are
 * heard that know one of the processes which were known before; and those that name a place which was known before, as
 * a process may have been started again there, if they may be the same witnesses.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Succession {

    /** Null before a majority was heard for the first time. */
    private volatile @Nullable Known known;

    /**
     * @param place where the voter is
     * @param places the same, and where those are that may take its place
     * @param processes which one was found at each of these places last
     */
    private record Known(String place, Set<String> places, Set<String> fellows, Map<String, String> processes) {

        boolean knowsOneOf(Testimony one) {
            return !Collections.disjoint(processes.values(), one.processes().values());
        }
    }

    /**
     * A majority has named the voter.
     *
     * @param own what those have said that are heard
     */
    public void agreed(Witnesses.Agreement agreement, List<Testimony> own) {
        Known before = known;
        Set<String> places = all(own, Testimony::places);
        Map<String, String> processes = new HashMap<>(before == null ? Map.of() : before.processes());
        own.forEach(one -> processes.putAll(one.processes()));
        processes.keySet().retainAll(places);
        known = new Known(agreement.place(), places, all(own, Testimony::fellows), Map.copyOf(processes));
    }

    private static Set<String> all(List<Testimony> own, Function<Testimony, Set<String>> ids) {
        return own.stream().flatMap(one -> ids.apply(one).stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether a majority was heard; before that, all are to be heard: they may watch different processes. */
    public boolean isKnown() {
        return known != null;
    }

    /** Returns what those have said that are heard; of two groups, before one is known, neither is. */
    public List<Testimony> own(List<Testimony> heard) {
        return isTorn(heard) ? List.of() : heard.stream().filter(this::isOwn).toList();
    }

    private boolean isOwn(Testimony one) {
        Known before = known;
        return before == null
                || before.knowsOneOf(one)
                || before.places().contains(one.place()) && mayBeFellows(before.fellows(), one.fellows());
    }

    /** Before Redis 6.2 a Sentinel does not say its own id. */
    private static boolean mayBeFellows(Set<String> some, Set<String> others) {
        return some.isEmpty() || others.isEmpty() || !Collections.disjoint(some, others);
    }

    private boolean isTorn(List<Testimony> heard) {
        return known == null && heard.stream().anyMatch(one -> heard.stream().anyMatch(other -> areApart(one, other)));
    }

    private static boolean areApart(Testimony one, Testimony other) {
        return !one.processes().isEmpty()
                && !other.processes().isEmpty()
                && Collections.disjoint(
                        one.processes().values(), other.processes().values())
                && Collections.disjoint(one.places(), other.places());
    }

    /** Returns those that watch another process; not those that do not say which one it is. */
    public List<Testimony> strangers(List<Testimony> heard) {
        return isTorn(heard)
                ? heard
                : heard.stream()
                        .filter(one -> !isOwn(one) && !one.processes().isEmpty())
                        .toList();
    }

    /** Returns why some are not heard; empty if all are. */
    public Optional<String> fault(List<Testimony> heard) {
        List<Testimony> strangers = strangers(heard);
        if (strangers.isEmpty()) {
            return Optional.empty();
        }
        Known before = known;
        return Optional.of(
                before == null
                        ? "they watch different primaries, of which none has been the replica of another: the address must"
                                + " name the Sentinels of one"
                        : strangers.size() + " of them name " + strangers.get(0).place() + ", and know neither the"
                                + " primary that was named before ("
                                + before.place()
                                + ") nor its replicas: they watch another one, which is not used. Have the hosts lead"
                                + " to the former Sentinels. If the"
                                + " primary and all its replicas were replaced meanwhile, start this client again, once no"
                                + " client reaches a former one");
    }
}
