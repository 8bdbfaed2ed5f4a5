// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.holdfast.protocol.term.Witnesses.Testimony;
import org.jspecify.annotations.Nullable;

/**
 * Which process is the voter, and which may take its place, as a majority has said last.
 *
 * <p>The host names of witnesses may come to lead to others, which watch another process. They are a majority of their
 * own, and other clients go on with the former process. Nor do their ids tell them apart: some installations derive
 * these from names. But witnesses put no other process in the place of one than a replica that they know. So those are
 * heard that know one of the processes which were known before; and those that name a place which was known before, as
 * a process may have been started again there, if they may be the same witnesses.
 *
 * <p>The way of a client to the voter may lead to another process as well, perhaps to the one whose place the voter has
 * taken, which goes on where it is cut off. So the process there is to be the one that a majority knows there. After a
 * failover Sentinels do not say that for ten seconds. But they have said which process was at that place while it was a
 * replica. That is believed until one of them has asked it and says otherwise: of two majorities that two clients hear,
 * one witness has told both. Where another process comes to the same place, a term begins as after a failover.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Succession {

    /** Null before a majority was heard for the first time. */
    private volatile @Nullable Known known;

    /**
     * @param agreement where the voter is
     * @param places the same, and where those are that may take its place
     * @param processes which one was at each of these places, when a majority has said so last
     * @param said which one is at each of them, as a majority says now
     * @param voter the process that is the voter, as far as it was known last in this term
     * @param isSure whether no witness says otherwise
     */
    private record Known(
            Witnesses.Agreement agreement,
            Set<String> places,
            Set<String> fellows,
            Map<String, String> processes,
            Map<String, String> said,
            @Nullable String voter,
            boolean isSure) {

        boolean knowsOneOf(Testimony one) {
            return !Collections.disjoint(processes.values(), one.processes().values());
        }

        /** Returns which process is the voter by what was known before; null if that tells nothing. */
        @Nullable
        String expected(Witnesses.Agreement now, boolean isWatched) {
            if (agreement.equals(now)) {
                return voter;
            }
            boolean wasStandby = isWatched && !agreement.place().equals(now.place());
            return wasStandby ? said.get(now.place()) : null;
        }
    }

    /** How many witnesses this client knows. */
    private final int witnesses;

    /** @param witnesses how many this client knows */
    public Succession(int witnesses) {
        this.witnesses = witnesses;
    }

    /**
     * A majority has named a place.
     *
     * @param own what those have said that are heard
     * @param isWatched whether what a majority has said before still counts: else a failover may have been missed
     * @return whether the voter is another process than was known, or the first one that is known, at the same place
     *     and in the same epoch
     */
    public boolean agreed(Witnesses.Agreement agreement, List<Testimony> own, boolean isWatched) {
        Known before = known;
        List<Testimony> agreeing =
                own.stream().filter(one -> one.agreement().equals(agreement)).toList();
        Map<String, String> said = Witnesses.processes(witnesses, agreeing);
        String asked = said.get(agreement.place());
        String expected = before == null ? null : before.expected(agreement, isWatched);
        boolean isSure = asked != null
                || agreeing.stream().map(Testimony::process).allMatch(one -> one.isEmpty() || one.equals(expected));
        Set<String> places = new HashSet<>(all(own, Testimony::places));
        if (before != null && said.isEmpty()) { // they were told to forget, and ask the processes anew
            places.addAll(before.places());
        }
        known = new Known(
                agreement,
                Set.copyOf(places),
                all(own, Testimony::fellows),
                remembered(before, said, places),
                said,
                asked == null ? expected : asked,
                isSure);
        boolean isSameTerm = before != null && before.agreement().equals(agreement);
        return isSameTerm && asked != null && !asked.equals(expected);
    }

    private static Map<String, String> remembered(
            @Nullable Known before, Map<String, String> said, Set<String> places) {
        Map<String, String> processes = new HashMap<>(before == null ? Map.of() : before.processes());
        processes.putAll(said);
        processes.keySet().retainAll(places);
        return Map.copyOf(processes);
    }

    /**
     * Returns whether a process is the voter. One that was started again where it was is known when the witnesses have
     * asked it: Sentinels do so once in ten seconds.
     */
    public boolean isVoter(String process) {
        Known present = known;
        return present != null && present.isSure() && process.equals(present.voter());
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
                                + before.agreement().place()
                                + ") nor its replicas: they watch another one, which is not used. Have the hosts lead to the former Sentinels. If the"
                                + " primary and all its replicas were replaced meanwhile, start this client again, once no"
                                + " client reaches a former one");
    }
}
