// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.term;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The witnesses on which a client relies, by the ids that a majority of them has named last.
 *
 * <p>Host names and addresses may come to lead to another group of witnesses. That has a majority of its own, which
 * shares no witness with that of this group: a client that went there would not exclude those that have stayed. A
 * group keeps ids while its members are replaced one after the other. A group that knows none of these ids is another
 * one.
 *
 * <p>Safe for use by any number of threads.
 */
public final class WitnessGroup {

    /** Empty before a majority was heard for the first time. */
    private volatile Set<String> known = Set.of();

    /**
     * A majority has answered.
     *
     * @param ids which these know; those that they have forgotten are of this group no more, and may be of another one
     */
    public void agreed(Stream<String> ids) {
        known = ids.collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether a majority was heard; before that, all are to be heard: they may be of different groups. */
    public boolean isKnown() {
        return !known.isEmpty();
    }

    /**
     * Returns the answers of witnesses of the group; all answers as long as no group is known.
     *
     * @param ids gives those that a witness knows
     */
    public <T> List<T> own(List<T> answers, Function<T, Set<String>> ids) {
        Set<String> present = known;
        return answers.stream()
                .filter(answer -> present.isEmpty() || !Collections.disjoint(present, ids.apply(answer)))
                .toList();
    }

    /** Names a member, for a report. */
    @Override
    public String toString() {
        return known.isEmpty() ? "none is known" : "one is " + new TreeSet<>(known).first();
    }
}
