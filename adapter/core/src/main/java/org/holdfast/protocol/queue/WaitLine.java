// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.function.Consumer;
import org.holdfast.protocol.env.Chain;
import org.holdfast.protocol.lease.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one line, in order.
 *
 * <p>Where the nodes know the order, those that have their places there stand in front of the others, by the numbers of
 * their tickets. The nodes serve them in that order: another one here would keep all of them waiting, as the head of
 * this line would not be theirs. Each asks for its place when those before it have asked for theirs, or are not waited
 * for any more.
 *
 * <p>Guarded by its user, but for what a member says itself.
 */
final class WaitLine {

    private final Chain<Member> members = new Chain<>();
    private @Nullable Member head;

    /** Counts what may let a waiter ask the nodes for its place. */
    private long changes;

    /** A waiter in the line. */
    static class Member extends Chain.Link<Member> {

        private final WaitQueues.Waiter waiter;
        private volatile boolean isFirst;
        private volatile @Nullable HeldLock handed;

        /** Has asked the nodes for its place, so that those behind it may. */
        private boolean asked;

        /** Has its place on the nodes. */
        private boolean placed;

        /** Of the ticket with which it has its place. */
        private long number;

        /** Has asked, and no quorum has answered. */
        private boolean inVain;

        /** Has not asked for so long that those behind it do not wait for that any more. */
        private boolean late;

        /** @param ordered whether the nodes know the order of the line */
        Member(WaitQueues.Waiter waiter, boolean ordered) {
            this.waiter = waiter;
            this.asked = !ordered;
            this.placed = !ordered;
        }

        WaitQueues.Waiter waiter() {
            return waiter;
        }

        /** Returns whether this is the head of the line. */
        public final boolean isFirst() {
            return isFirst;
        }

        /** Returns what was handed over, or null. A waiter that does not leave the line with it must release it. */
        public final @Nullable HeldLock handed() {
            return handed;
        }

        boolean accept(HeldLock old) {
            HeldLock next = handed == null ? waiter.handOff(old) : null;
            if (next != null) {
                handed = next;
            }
            return next != null;
        }
    }

    void join(Member member) {
        members.addLast(member);
        newHead();
    }

    /** Returns the head of the line; null if it is empty. */
    @Nullable
    Member first() {
        return members.first();
    }

    void forEach(Consumer<? super Member> call) {
        members.forEach(call);
    }

    int size() {
        return members.size();
    }

    long changes() {
        return changes;
    }

    /** Takes one out; returns the waiter that is to be woken. Needs no memory. */
    @Nullable
    Member leave(Member member) {
        Member behind = members.next(member);
        changes += member.asked || !mayAsk(member) ? 0 : 1; // else those behind it wait for another one
        members.remove(member);
        Member first = newHead();
        return first != null || behind == null || behind.asked ? first : behind;
    }

    /** Returns the head of the line if it was not that before; else null. */
    private @Nullable Member newHead() {
        Member before = head;
        Member first = members.first();
        if (first == before) {
            return null;
        }
        if (before != null) {
            before.isFirst = false;
        }
        if (first != null) {
            first.isFirst = true;
        }
        head = first;
        return first;
    }

    /**
     * Returns whether each waiter before it has asked the nodes for its place: they keep the order of these. One that
     * has asked in vain asks again behind one that has its place: in an outage one of all is enough.
     */
    boolean mayAsk(Member member) {
        Member before = members.previous(member);
        return before == null || before.late || (member.inVain ? before.placed : before.asked);
    }

    /** None waits any more for those before this one that have not asked. */
    void pass(Member member) {
        Member before = members.previous(member);
        while (before != null && !before.asked) {
            before.late = true;
            before = members.previous(before);
        }
    }

    /** The nodes have been sent the question for its place. Returns the waiter that is to be woken; null for none. */
    @Nullable
    Member asked(Member member) {
        Member next = members.next(member);
        boolean mayAsk = !member.asked && next != null && !next.asked && !next.inVain;
        member.asked = true;
        member.late = false;
        return changed(mayAsk ? next : null);
    }

    /**
     * The nodes have given it its place, once. Returns the waiter that is to be woken; null for none.
     *
     * @param number of its ticket
     */
    @Nullable
    Member placed(Member member, long number) {
        member.placed = true;
        member.number = number;
        Member after = members.next(member);
        Member before = members.previous(member);
        members.remove(member);
        while (before != null && (!before.placed || before.number > number)) {
            after = before;
            before = members.previous(before);
        }
        members.addBefore(member, after);
        return changed(after != null && after.inVain && !after.placed ? after : null);
    }

    /** No quorum has answered: it has no place, and will ask with a later number. */
    void hasAskedInVain(Member member) {
        member.asked = false;
        member.inVain = true;
        changes++;
    }

    private @Nullable Member changed(@Nullable Member next) {
        changes++;
        newHead(); // if it is another one, it is the one that was placed just now, and knows
        return next;
    }
}
