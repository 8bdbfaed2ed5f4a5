// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Elements in order, each of which is a link of the chain itself: to add one and to take one out needs no memory, and
 * no search. Guarded by its user.
 *
 * @param <L> the elements, each in one chain at the most
 */
public final class Chain<L extends Chain.Link<L>> {

    private @Nullable L first;
    private @Nullable L last;
    private int size;

    /** What an element extends, by itself. */
    public abstract static class Link<L extends Link<L>> {
        private @Nullable L previous;
        private @Nullable L next;
        private boolean linked;
    }

    /** Returns the element that has been here for longest; null if there is none. */
    public @Nullable L first() {
        return first;
    }

    public int size() {
        return size;
    }

    /** @param link is in no chain */
    public void addLast(L link) {
        addBefore(link, null);
    }

    /**
     * Puts an element in front of another one.
     *
     * @param link is in no chain
     * @param after is here; null for the end
     */
    public void addBefore(L link, @Nullable L after) {
        L before = after == null ? last : previous(after);
        Link<L> in = link;
        in.previous = before;
        in.next = after;
        in.linked = true;
        if (before == null) {
            first = link;
        } else {
            setNext(before, link);
        }
        if (after == null) {
            last = link;
        } else {
            setPrevious(after, link);
        }
        size++;
    }

    /** Takes an element out, if it is here. */
    public void remove(L link) {
        Link<L> out = link;
        if (!out.linked) {
            return;
        }
        L before = out.previous;
        L after = out.next;
        if (before == null) {
            first = after;
        } else {
            setNext(before, after);
        }
        if (after == null) {
            last = before;
        } else {
            setPrevious(after, before);
        }
        out.previous = null;
        out.next = null;
        out.linked = false;
        size--;
    }

    /** Takes the first element out, and returns it; null if there is none. */
    public @Nullable L pollFirst() {
        L polled = first;
        if (polled != null) {
            remove(polled);
        }
        return polled;
    }

    /** Returns the element that was added last; null if there is none. */
    public @Nullable L last() {
        return last;
    }

    /** Returns the element that comes before one that is here; null if that is the first. */
    public @Nullable L previous(L link) {
        Link<L> here = link;
        return here.previous;
    }

    /** Takes all elements out. */
    public void clear() {
        while (first != null) {
            remove(first);
        }
    }

    /** Returns the element that comes after one that is here; null if that is the last. */
    public @Nullable L next(L link) {
        Link<L> here = link;
        return here.next;
    }

    /** Calls for each element, in order. The call may take that element out. */
    public void forEach(Consumer<? super L> call) {
        L element = first;
        while (element != null) {
            Link<L> link = element;
            L after = link.next;
            call.accept(element);
            element = after;
        }
    }

    private static <L extends Link<L>> void setNext(Link<L> link, @Nullable L next) {
        link.next = next;
    }

    private static <L extends Link<L>> void setPrevious(Link<L> link, @Nullable L previous) {
        link.previous = previous;
    }
}
