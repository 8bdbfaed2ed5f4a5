// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.survey;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockRequest;
import org.holdfast.redis.script.LockKey;

/** The locks whose keys were found on nodes, each once. For one thread. */
public final class FoundLocks {

    private final int limit;
    private final TreeMap<String, Integer> locks = new TreeMap<>();
    private final TreeMap<String, Integer> semaphores = new TreeMap<>();
    private final Set<LockKey> skipped = new HashSet<>();
    private boolean complete = true;

    /** @param limit how many locks at the most */
    public FoundLocks(int limit) {
        this.limit = limit;
    }

    /** Takes note of a lock, unless there are so many already. A key that no request can mean is skipped. */
    public void add(LockKey key) {
        if (!isPossible(key)) {
            if (skipped.size() < limit) {
                skipped.add(key);
            }
            return;
        }
        TreeMap<String, Integer> those = key.permits() == 0 ? locks : semaphores;
        if (those.containsKey(key.name()) || size() < limit) {
            those.merge(key.name(), key.permits(), Math::max);
        } else {
            complete = false;
        }
    }

    /** Any client may have written any key. */
    private static boolean isPossible(LockKey key) {
        try {
            return request(key.name(), key.permits()).name().equals(key.name());
        } catch (InvalidLockRequestException e) {
            return false;
        }
    }

    private static LockRequest request(String name, int permits) {
        return permits == 0 ? LockRequest.of(name) : LockRequest.semaphore(name, permits);
    }

    /** Returns how many keys were skipped since no request can have their names; no more than the limit are counted. */
    public int skipped() {
        return skipped.size();
    }

    /** Some keys were not looked at. */
    void leaveRest() {
        complete = false;
    }

    /** Returns whether there are more, or some keys were not looked at. */
    public boolean isComplete() {
        return complete;
    }

    private int size() {
        return locks.size() + semaphores.size();
    }

    /** Returns what asks for each of them, sorted by name; a semaphore has as many permits as its largest one needs. */
    public List<LockRequest> requests() {
        List<LockRequest> requests = new ArrayList<>(size());
        locks.forEach((name, permits) -> requests.add(request(name, permits)));
        semaphores.forEach((name, permits) -> requests.add(request(name, permits)));
        requests.sort((one, other) -> one.name().compareTo(other.name()));
        return requests;
    }
}
