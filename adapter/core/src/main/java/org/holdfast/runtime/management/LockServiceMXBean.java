// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What JMX shows of a running lock service, as {@code org.holdfast:type=LockService,prefix=…,id=…}: its key prefix, and
 * 1, or the smallest number that was free if this JVM has several services with that prefix. Counts begin with its
 * start. To read an attribute costs no round trip to a node; an operation asks all of them.
 */
public interface LockServiceMXBean {

    /** Returns what every key of this service begins with: there is one service for each prefix of each adapter. */
    @Described("What every key of this service begins with")
    String getKeyPrefix();

    /**
     * Returns for each node, by address without secrets, what is known of it: {@code up}, or why it is not asked or has
     * no vote.
     */
    @Described("For each node, by address: up, or why it is not asked or has no vote")
    Map<String, String> getNodes();

    /**
     * Returns the same for programs, for each node: {@code VOTES}, {@code QUARANTINED} or {@code UNUSABLE}, as the last
     * look found it.
     */
    @Described("For each node, by address: VOTES, QUARANTINED or UNUSABLE, as the last look found it")
    Map<String, String> getNodeStates();

    /** Returns how many names this process holds now. */
    @Described("How many names this process holds now")
    int getHeld();

    /** Returns which names this process holds now, sorted; of more than 1,000 the first 1,000. */
    @Described("Which names this process holds now; the first 1000")
    List<String> getHeldNames();

    /** Returns how many callers of this process wait in line now. */
    @Described("How many callers of this process wait in line now")
    int getWaiters();

    /** Returns how many leases were taken from the nodes or from another holder in this process. */
    @Described("How many leases were taken, from the nodes or from another holder in this process")
    long getAcquired();

    /** Returns how many leases their holder had already, and took once more. */
    @Described("How many leases their holder had already, and took once more")
    long getReentered();

    /** Returns how many of the leases acquired were handed off inside this process. */
    @Described("How many of the leases acquired were handed off inside this process")
    long getHandedOff();

    /** Returns how many requests ended with their wait timeout. */
    @Described("How many requests ended with their wait timeout")
    long getTimedOut();

    /** Returns how many requests reached too few nodes. */
    @Described("How many requests reached too few nodes")
    long getUnavailable();

    /** Returns how many locks were released on the nodes. */
    @Described("How many locks were released on the nodes")
    long getReleased();

    /** Returns how many renewals extended a lease. */
    @Described("How many renewals extended a lease")
    long getRenewed();

    /** Returns how many renewals did not extend a lease. */
    @Described("How many renewals did not extend a lease")
    long getRenewalsFailed();

    /** Returns how many leases were lost. */
    @Described("How many leases were lost")
    long getLost();

    /** Returns how many releases some node has not confirmed yet. */
    @Described("How many releases some node has not confirmed yet")
    int getUnconfirmedReleases();

    /** Returns the median time to get a lease, with waiting, in microseconds; at most a quarter too long. */
    @Described("The median time to get a lease, with waiting, in microseconds")
    long getAcquireMicrosMedian();

    /**
     * Returns within which time 99 of 100 leases were got, with waiting, in microseconds; at most a quarter too long.
     */
    @Described("Within which time 99 of 100 leases were got, with waiting, in microseconds")
    long getAcquireMicros99();

    /** Returns the longest time that it took to get a lease, with waiting, in microseconds. */
    @Described("The longest time that it took to get a lease, with waiting, in microseconds")
    long getAcquireMicrosMax();

    /**
     * Returns the 20 locks for which callers of this process waited most often, and how often, since its start.
     *
     * <p>Of more than 200 locks the number may be too large by what other locks had before, and a lock may be missing
     * for which callers waited less often than a 200th of all times.
     */
    @Described("The 20 locks for which callers of this process waited most often, and how often")
    Map<String, Long> getMostWaits();

    /**
     * Returns the 20 locks for which callers of this process waited for the longest time, all callers together, and for
     * how many milliseconds. As exact as {@link #getMostWaits()}.
     */
    @Described("The 20 locks for which callers of this process waited for the longest time, in milliseconds")
    Map<String, Long> getLongestWaitMillis();

    /**
     * Lists the locks that are held or waited for, in all processes, a line for each holder. Walks over all keys of the
     * nodes.
     *
     * @param limit how many locks at the most, 1 to 10,000
     */
    @Described("Lists the locks that are held or waited for, in all processes. Walks over all keys of the nodes")
    List<String> listLocks(@Described("how many locks at the most, 1 to 10000") int limit);

    /**
     * Returns the holders of a lock that is no semaphore, in all processes, and how many wait for it: a line for each
     * holder.
     *
     * @param name of the lock
     */
    @Described("Returns the holders of a lock, in all processes, and how many wait for it")
    List<String> describeLock(@Described("name of the lock") String name);

    /**
     * As {@link #describeLock(String)}, of a semaphore.
     *
     * @param name of the semaphore
     * @param permits how many it has, as in the requests for it; 0 for a lock that is no semaphore
     */
    @Described("Returns the holders of a semaphore's permits, in all processes, and how many wait for one")
    List<String> describeLock(
            @Described("name of the semaphore") String name,
            @Described("how many permits it has, as in the requests for it; 0 for a lock that is no semaphore")
                    int permits);

    /**
     * Takes a lock away from its holders, in whichever process. They believe that they have it until their next
     * renewal. Lines of the log {@code org.holdfast.audit} have the user and the reason.
     *
     * @param name of the lock
     * @param reason why; must not be blank, and have 200 characters at the most
     * @return the holders that have lost it, a line for each; none if only what nodes kept of an ended lease was
     *     removed
     */
    @Described("Takes a lock away from its holders, which work on until their next renewal. Returns them")
    List<String> forceRelease(
            @Described("name of the lock") String name,
            @Described("why, for the audit; not blank, up to 200 characters") @Nullable String reason);

    /**
     * As {@link #forceRelease(String, String)}, of a semaphore, or from one holder alone: if another one has the lock
     * by now, that one keeps it.
     *
     * @param name of the lock
     * @param permits how many it has, for a semaphore; else 0
     * @param token of the holder that is meant, or one with which another process has handed the lock off; 0 for all
     *     holders
     * @param reason why; must not be blank, and have 200 characters at the most
     * @return the holders that have lost it, a line for each
     */
    @Described("Takes a lock or a semaphore away from all holders or from one, which work on until their next renewal."
            + " Returns them")
    List<String> forceRelease(
            @Described("name of the lock") String name,
            @Described("how many permits it has, for a semaphore; else 0") int permits,
            @Described("token of the holder that is meant; 0 for all holders") long token,
            @Described("why, for the audit; not blank, up to 200 characters") @Nullable String reason);
}
