// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.List;
import java.util.Map;

/**
 * What JMX shows of a running lock service, as {@code org.holdfast:type=LockService,prefix=…,id=…}: its key prefix, and
 * 1, or the smallest number that was free if this JVM has several services with that prefix. Counts begin with its
 * start. To ask costs no round trip to a node.
 */
public interface LockServiceMXBean {

    /** Returns what every key of this service begins with: there is one service for each prefix of each adapter. */
    String getKeyPrefix();

    /**
     * Returns for each node, by address without secrets, what is known of it: {@code up}, or why it is not asked or has
     * no vote.
     */
    Map<String, String> getNodes();

    /** Returns how many names this process holds now. */
    int getHeld();

    /** Returns which names this process holds now, sorted; of more than 1,000 the first 1,000. */
    List<String> getHeldNames();

    /** Returns how many callers of this process wait in line now. */
    int getWaiters();

    /** Returns how many leases were taken from the nodes or from another holder in this process. */
    long getAcquired();

    /** Returns how many leases their holder had already, and took once more. */
    long getReentered();

    /** Returns how many of the leases acquired were handed off inside this process. */
    long getHandedOff();

    /** Returns how many requests ended with their wait timeout. */
    long getTimedOut();

    /** Returns how many requests reached too few nodes. */
    long getUnavailable();

    /** Returns how many locks were released on the nodes. */
    long getReleased();

    /** Returns how many renewals extended a lease. */
    long getRenewed();

    /** Returns how many renewals did not extend a lease. */
    long getRenewalsFailed();

    /** Returns how many leases were lost. */
    long getLost();

    /** Returns how many releases some node has not confirmed yet. */
    int getUnconfirmedReleases();

    /** Returns the median time to get a lease, with waiting, in microseconds; at most a quarter too long. */
    long getAcquireMicrosMedian();

    /**
     * Returns within which time 99 of 100 leases were got, with waiting, in microseconds; at most a quarter too long.
     */
    long getAcquireMicros99();

    /** Returns the longest time that it took to get a lease, with waiting, in microseconds. */
    long getAcquireMicrosMax();
}
