// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.protocol.env.LogRateLimiter;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.redis.address.VoterAddress;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that each Redis process has one vote, whatever number of addresses lead to it: another spelling of its host,
 * another name, or something in front of it that forwards requests.
 *
 * <p>Of those that are asked the first has the vote, in the order of the setting. The others are refused for as long as
 * it is asked and is that process. Safe for use by any number of threads.
 */
final class SameProcessCheck {

    private static final System.Logger LOG = System.getLogger(SameProcessCheck.class.getName());

    private final List<VoterAddress> addresses;
    private final List<NodeHealth> health;

    /** Held while a node is admitted: else two inspections at the same time could admit one process twice. */
    private final Lock lock = new SureLock();

    /** Which process each node was when it was inspected last; null where it never was. */
    private final @Nullable String[] runIds;

    private final LogRateLimiter logLimiter;
    private boolean reported;

    /** @param logLimiter of what the log says of all nodes together */
    SameProcessCheck(List<VoterAddress> addresses, List<NodeHealth> health, LogRateLimiter logLimiter) {
        this.logLimiter = logLimiter;
        this.addresses = addresses;
        this.health = health;
        this.runIds = new String[addresses.size()];
    }

    /**
     * Has a node asked from now on, and none after it that is the same process.
     *
     * @throws NodeRefusedException if one before it is, and is asked
     */
    void admit(int node, Admission admission) {
        lock.lock();
        try {
            runIds[node] = admission.runId();
            for (int earlier = 0; earlier < node; earlier++) {
                if (isAskedAs(admission.runId(), earlier)) {
                    throw new NodeRefusedException(refusal(earlier));
                }
            }
            for (int later = node + 1; later < runIds.length; later++) {
                if (isAskedAs(admission.runId(), later)) {
                    health.get(later).refuse(refusal(node));
                }
            }
            health.get(node).admitted(admission);
            reportMajority(admission.quarantineNanos() > 0);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says once that quarantines leave too few nodes for a lock. It is said again when there were enough in between.
     */
    private void reportMajority(boolean quarantined) {
        int needed = health.size() / 2 + 1;
        long voting = health.stream().filter(NodeHealth::isUp).count();
        if (voting >= needed) {
            reported = false;
            return;
        }
        String more = quarantined && !reported ? logLimiter.leave() : null;
        if (more != null) {
            reported = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0310: no new lock can be granted: " + needed + " of " + health.size() + " nodes must vote, "
                            + voting + " can; " + describeNodes() + more);
        }
    }

    private String describeNodes() {
        return IntStream.range(0, health.size())
                .filter(node -> !health.get(node).isUp())
                .mapToObj(node -> addresses.get(node) + ": " + health.get(node).reason())
                .collect(Collectors.joining("; "));
    }

    private boolean isAskedAs(String runId, int node) {
        return runId.equals(runIds[node]) && health.get(node).isAsked();
    }

    private String refusal(int voter) {
        return "it is the same Redis process as " + addresses.get(voter) + ", and has one vote";
    }
}
