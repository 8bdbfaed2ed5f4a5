// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds, by name. Each lock is renewed as long as it is here, and waiters learn when it has gone.
 *
 * <p>A name that this process does not hold takes no memory. Safe for use by any number of threads.
 */
public final class HeldLocks {

    private final Renewals renewals;
    private final Successor successor;
    private final ConcurrentHashMap<String, List<HeldLock>> byName = new ConcurrentHashMap<>();

    // Of the thread that sweeps:

    private boolean repairsAgain;
    private long nextRepair;

    public HeldLocks(Renewals renewals, Successor successor) {
        this.renewals = renewals;
        this.successor = successor;
    }

    void add(HeldLock heldLock) {
        try {
            for (String name : heldLock.claim().target().names()) {
                byName.merge(name, List.of(heldLock), HeldLocks::joined);
            }
            renewals.add(heldLock);
        } catch (RuntimeException | Error e) {
            renewals.noteFailure();
            throw e;
        }
    }

    /** Removes a lock that was released or lost. */
    void remove(HeldLock heldLock) {
        try {
            renewals.remove(heldLock);
            List<String> names = heldLock.claim().target().names();
            for (int i = 0; i < names.size(); i++) { // an iterator would be one more object for each lock
                byName.computeIfPresent(names.get(i), (key, present) -> without(present, heldLock));
            }
            wakeWaiters(heldLock);
        } catch (RuntimeException | Error e) {
            renewals.noteFailure();
            throw e;
        }
    }

    /** As {@link #remove}, or later if there is no memory for it. */
    void drop(HeldLock heldLock) {
        try {
            remove(heldLock);
        } catch (RuntimeException | Error e) {
            // which is noted: it is repaired
        }
    }

    /**
     * Repairs what a failure has left behind, as where there was no memory: a lock that is held and not in the order of
     * renewals, or one that has ended and is still on the books. For the thread that sweeps, before it does.
     */
    public void repair(long now) {
        boolean isDue = repairsAgain && now - nextRepair >= 0;
        if (!renewals.takeFailure() && !isDue) {
            return;
        }
        boolean repaired = false;
        try {
            long longest = repairAll(now);
            repairsAgain = longest > 0;
            nextRepair = now + longest;
            repaired = true;
        } finally {
            if (!repaired) {
                renewals.noteFailure();
            } else if (repairsAgain) {
                renewals.sweepWithin(nextRepair - now);
            }
        }
    }

    /** Returns for how long something may be left to do: a release may be under way, or have failed, until then. */
    private long repairAll(long now) {
        long longest = 0;
        for (HeldLock heldLock : all()) {
            long released = heldLock.isHeld(now) ? 0 : heldLock.keepsOutNanos(now);
            longest = Math.max(longest, released);
            if (heldLock.isHeld(now)) {
                renewals.ensureScheduled(heldLock);
            } else if (released == 0) {
                remove(heldLock);
            }
        }
        return longest;
    }

    /** Wakes the waiters of this process, which may have the lock now. */
    void wakeWaiters(HeldLock heldLock) {
        successor.freed(heldLock.claim().target().names());
    }

    /** Returns whether a caller of this process waits for one of its names. */
    boolean isWaitedFor(HeldLock heldLock) {
        return successor.isWaitedFor(heldLock.claim().target().names());
    }

    /** Lets one hold take the place of another on the same names, so that the lock is never seen free. */
    void replace(HeldLock old, HeldLock next) {
        try {
            for (String name : next.claim().target().names()) {
                byName.compute(name, (key, present) -> {
                    List<HeldLock> others = present == null ? null : without(present, old);
                    return others == null ? List.of(next) : joined(others, List.of(next));
                });
            }
            renewals.add(next);
            renewals.remove(old);
        } catch (RuntimeException | Error e) {
            renewals.noteFailure();
            throw e;
        }
    }

    private static List<HeldLock> joined(List<HeldLock> some, List<HeldLock> others) {
        List<HeldLock> all = new ArrayList<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    private static @Nullable List<HeldLock> without(List<HeldLock> heldLocks, HeldLock heldLock) {
        if (heldLocks.size() == 1 && heldLocks.get(0) == heldLock) {
            return null;
        }
        return heldLocks.stream().filter(h -> h != heldLock).toList();
    }

    /** Returns what is held of a name, in whichever way. */
    public List<HeldLock> of(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Returns the first hold of a name that fits, or null. */
    public @Nullable HeldLock find(String name, Predicate<HeldLock> fits) {
        List<HeldLock> present = byName.get(name);
        if (present == null) {
            return null; // as most often
        }
        for (HeldLock heldLock : present) {
            if (fits.test(heldLock)) {
                return heldLock;
            }
        }
        return null;
    }

    /** Returns whether this process has a name as this owner, or has not removed it yet after its release. */
    public boolean isOwner(String name, String owner) {
        return find(name, heldLock -> heldLock.claim().owner().value().equals(owner)) != null;
    }

    /** Returns all holds, each once. */
    public Set<HeldLock> all() {
        Set<HeldLock> all = new LinkedHashSet<>();
        byName.values().forEach(all::addAll);
        return all;
    }

    /** Returns which names are held, sorted: the first ones up to a bound. */
    public List<String> names(int most) {
        return byName.keySet().stream().sorted().limit(most).toList();
    }

    /** Returns how many names are held. */
    public int size() {
        return byName.size();
    }
}
