// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.LockConnectionFactory;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The locks of Spring Integration as leases on a majority of Redis nodes.
 *
 * <p>A lock has the re-entry of {@link java.util.concurrent.locks.ReentrantLock}, in this registry: another registry,
 * or a {@code LockConnection}, is another holder, also on the same thread. Its lease is renewed until it is unlocked.
 * Only the thread that took a lock may unlock it. A lock belongs to no transaction: others may have it before the
 * transaction commits that ran under it.
 *
 * <p>Keeps nothing of a lock that is not held, so there is nothing to expire and no limit to the number of keys. It
 * holds no connection between calls. A lock of a thread that has died without unlocking stays locked while the process
 * lives, unless it was taken with a time to live.
 *
 * <p>Safe for use by any number of threads. The factory belongs to its creator; when that closes it, what is held is
 * released, and {@code unlock} reports it.
 */
public final class HoldfastLockRegistry implements LockRegistry<DistributedLock> {

    private final LockConnectionFactory factory;
    private final String prefix;
    private final Map<Hold.Of, Hold> holds = new ConcurrentHashMap<>();

    /**
     * Makes a registry whose locks have their keys as names. Asks no node.
     *
     * @param factory where the leases come from; it is not closed by this registry
     * @throws NullPointerException if the factory is null
     */
    public HoldfastLockRegistry(LockConnectionFactory factory) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.prefix = "";
    }

    /**
     * Makes a registry whose locks have the name {@code registryKey:lockKey}. Asks no node.
     *
     * @param factory where the leases come from; it is not closed by this registry
     * @param registryKey what the names of its locks begin with; registries with equal keys have the same locks
     * @throws NullPointerException if an argument is null
     */
    public HoldfastLockRegistry(LockConnectionFactory factory, String registryKey) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.prefix = Objects.requireNonNull(registryKey, "registryKey") + ":";
    }

    /**
     * Returns the lock with this key. Takes nothing and asks no node.
     *
     * <p>Its methods differ in this from those of other registries:
     *
     * <ul>
     *   <li>Each of them but {@code unlock} throws {@link org.holdfast.QuorumUnavailableException} if too few nodes can
     *       be asked: {@code tryLock()} after one attempt, {@code tryLock} with a time at its end, {@code lock} and
     *       {@code lockInterruptibly} after 10 s. False means that another holder has the lock. Where several callers
     *       ask at the same moment and take each other's votes, so that none has it, {@code tryLock} without a time
     *       asks again, for half a second; where nodes answer slowly for longer, 4 s at the most.
     *   <li>{@code lock(ttl)} and {@code tryLock(wait, ttl)} end the lock after that time, at least 100 ms. A thread
     *       that has the lock already keeps the time that it has. If the process dies, the nodes free the lock after
     *       that time where it is less than 30 s, and else after the TTL of the factory.
     *   <li>{@code unlock} throws {@link IllegalStateException} if the thread does not have the lock, and {@link
     *       java.util.ConcurrentModificationException} if the lock was lost meanwhile.
     *   <li>A thread that has lost the lock unlocks it as often as it took it. Until then, each method that takes it
     *       throws {@code ConcurrentModificationException} on that thread.
     *   <li>There are no conditions.
     * </ul>
     *
     * @param lockKey a string
     * @return the lock, which any number of threads may use; equal to others of this registry with the same key
     * @throws IllegalArgumentException if the key is no string: the text of another object need not be the same in two
     *     processes
     * @throws org.holdfast.InvalidLockRequestException if it is empty, too long, or not well-formed Unicode
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException("HF0621: the key of a lock must be a string, was "
                    + (lockKey == null ? "null" : "of " + lockKey.getClass().getName()));
        }
        return new RegistryLock(factory, holds, prefix + key);
    }

    /** Returns how many locks are held now: nothing is kept of others. */
    int held() {
        return holds.size();
    }
}
