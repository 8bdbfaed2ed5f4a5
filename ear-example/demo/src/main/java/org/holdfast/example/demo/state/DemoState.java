// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

import java.util.List;
import java.util.Map;

/**
 * What the page shows at one moment. Components are the members of the JSON; times are those of {@link Clock}.
 *
 * @param readOnly whether actions are refused
 * @param now this moment
 * @param quorum how many nodes must vote
 * @param leases of the lock, newest last
 * @param runs of the load, by {@code locked} and {@code unlocked}
 */
public record DemoState(
        boolean readOnly,
        long now,
        List<Node> nodes,
        int quorum,
        List<Server> servers,
        Lock lock,
        List<Lease> leases,
        Map<String, Run> runs,
        Job job,
        StaleWrite staleWriter,
        List<DemoEvent> events) {

    public String toJson() {
        return Json.of(this);
    }

    /** What a process does, by the launcher's account. Nodes are paused, servers are frozen: it is the same. */
    public enum ProcessState {
        STARTING,
        RUNNING,
        PAUSED,
        FROZEN,
        STOPPED
    }

    /** Whether a node grants new locks; unknown before the first look at it. */
    public enum Vote {
        YES,
        NO,
        UNKNOWN
    }

    /** What Holdfast finds when it looks at a node. */
    public enum NodeView {
        VOTING,
        QUARANTINE,
        UNREACHABLE,
        REFUSED
    }

    /**
     * A node.
     *
     * @param reason why it does not vote, for people
     * @param until the end of its quarantine; null if it is in none
     */
    public record Node(
            int index,
            String address,
            long pid,
            ProcessState process,
            Vote vote,
            NodeView state,
            String reason,
            Long until) {}

    /** A server. Numbers are null while it does not answer. */
    public record Server(
            int index,
            String name,
            String url,
            long pid,
            ProcessState process,
            Long held,
            Long waiting,
            Double p50Millis,
            Double p99Millis,
            Double ordersPerSecond) {}

    /**
     * The lock that orders need.
     *
     * @param holder null if it has none
     * @param waiters callers in line, on all servers that answer
     */
    public record Lock(String name, Holder holder, long waiters) {}

    /**
     * A holder, as the nodes report it.
     *
     * @param server null if it is none of the demo's servers
     */
    public record Holder(Integer server, long token, long remainingMillis, long ttlMillis, int nodes) {}

    /**
     * A lease that a server had.
     *
     * @param from after it was acquired
     * @param to before it was released; null while it is held
     */
    public record Lease(int server, long token, double from, Double to) {}

    /** Where a run of orders stands. */
    public enum RunState {
        IDLE,
        RUNNING,
        DONE
    }

    /**
     * A run of orders.
     *
     * @param stock what the database says now; null before it was asked
     * @param oversold units sold that were not there; null before the run is done
     * @param problem the last failure, for people; null if there was none
     */
    public record Run(
            RunState state,
            int orders,
            int placed,
            int parallel,
            int initial,
            int sold,
            int soldOut,
            int failed,
            Integer stock,
            Integer oversold,
            long millis,
            String problem) {}

    /** The job that one server does each time. */
    public record Job(long period, List<JobRun> runs) {}

    /** One run of the job, with the servers that skipped it. */
    public record JobRun(int server, double at, long token, List<Integer> skippedBy) {}

    /** How the attempt to write with an old token ended, or where it stands. */
    public enum StaleWriteState {
        IDLE,
        RUNNING,
        REFUSED,
        ACCEPTED,
        FAILED
    }

    /** A step of it. */
    public record Step(long at, String text) {}

    /**
     * The attempt of a server to write with a token that is not the newest any more.
     *
     * @param steps of the last attempt, oldest first
     */
    public record StaleWrite(
            StaleWriteState state, String step, Long staleToken, Long rowToken, Long at, List<Step> steps) {}
}
