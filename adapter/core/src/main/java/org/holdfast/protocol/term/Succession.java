// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.holdfast.protocol.term.Witnesses.Testimony;
import org.jspecify.annotations.Nullable;

/**
 * Which processes may be the voter: the one that a majority has named last, and those that may take its place.
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
     * @param places where the voter is, and where those are that may take its place
     * @param former the processes that were known before another one took the place of the voter: witnesses do not know
     *     the ids of all present ones at once
     */
    private record Known(
            String place, Set<String> places, Set<String> fellows, Set<String> processes, Set<String> former) {

        boolean knowsOneOf(Set<String> ids) {
            return !Collections.disjoint(processes, ids) || !Collections.disjoint(former, ids);
        }
    }

    /**
     * A majority has named a process.
     *
     * @param own what those have said that are heard
     */
    public void agreed(Witnesses.Agreement agreement, List<Testimony> own) {
        Known before = known;
        Set<String> places = new HashSet<>(all(own, Testimony::standbys));
        places.add(agreement.place());
        Set<String> processes = all(own, Testimony::processes);
        Set<String> former = Set.of();
        if (before != null) {
            former = before.place().equals(agreement.place()) ? before.former() : before.processes();
            if (processes.isEmpty()) { // they were told to forget, and ask the processes anew
                processes = before.processes();
                places.addAll(before.places());
            }
        }
        known = new Known(agreement.place(), Set.copyOf(places), all(own, Testimony::fellows), processes, former);
    }

    /**
     * Returns whether a process may be the voter. One that was started again where it was is known when the witnesses
     * have asked it: Sentinels do so once in ten seconds.
     */
    public boolean knows(String process) {
        Known present = known;
        return present == null || present.processes().isEmpty() || present.knowsOneOf(Set.of(process));
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
                || before.knowsOneOf(one.processes())
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
                && Collections.disjoint(one.processes(), other.processes())
                && Collections.disjoint(places(one), places(other));
    }

    private static Set<String> places(Testimony one) {
        Set<String> places = new HashSet<>(one.standbys());
        places.add(one.place());
        return places;
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
                                + " primary that was named before (" + before.place() + ") nor its replicas: they watch"
                                + " another one, which is not used. Have the hosts lead to the former Sentinels. If the"
                                + " primary and all its replicas were replaced meanwhile, start this client again, once no"
                                + " client reaches a former one");
    }
}
