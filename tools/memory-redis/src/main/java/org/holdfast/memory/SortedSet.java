// SPDX-License-Identifier: Apache-2.0
package org.holdfast.memory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** A sorted set that never changes: to add or remove makes another one, so that snapshots may share this. */
public final class SortedSet {

    static final SortedSet EMPTY = new SortedSet(List.of());

    /** Compares scores as numbers: for Redis, as not for {@link Double#compare}, minus zero is zero. */
    private static final Comparator<Member> ORDER = (one, other) -> {
        if (one.score() != other.score()) {
            return one.score() < other.score() ? -1 : 1;
        }
        return Arrays.compareUnsigned(bytes(one), bytes(other));
    };

    private final List<Member> members;

    public record Member(String name, double score) {}

    private SortedSet(List<Member> members) {
        this.members = Collections.unmodifiableList(members);
    }

    private static byte[] bytes(Member member) {
        return member.name().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the members by score, and by their bytes where scores are equal. */
    public List<Member> members() {
        return members;
    }

    /** Returns null if there is no such member. */
    public Double score(String name) {
        for (Member member : members) {
            if (member.name().equals(name)) {
                return member.score();
            }
        }
        return null;
    }

    SortedSet with(String name, double score) {
        List<Member> changed = new ArrayList<>(members.size() + 1);
        changed.addAll(members);
        changed.removeIf(member -> member.name().equals(name));
        Member added = new Member(name, score);
        changed.add(-1 - Collections.binarySearch(changed, added, ORDER), added);
        return new SortedSet(changed);
    }

    SortedSet without(Predicate<Member> condition) {
        List<Member> changed = new ArrayList<>(members);
        return changed.removeIf(condition) ? new SortedSet(changed) : this;
    }
}
