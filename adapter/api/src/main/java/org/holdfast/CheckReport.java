// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What one look at every node found: returned by {@link LockConnectionFactory#check()}.
 *
 * @param nodes each node, in the order of the setting {@code nodes}
 * @param clockFault what is wrong with the wall clock of this machine; empty if it agrees with those of a majority
 */
public record CheckReport(List<Node> nodes, String clockFault) {

    /**
     * Checks that everything is there.
     *
     * @param nodes each node
     * @param clockFault what is wrong with the wall clock of this machine, or empty
     */
    public CheckReport {
        nodes = List.copyOf(nodes);
        Objects.requireNonNull(clockFault, "clockFault");
    }

    /** {@return whether locks can be taken now: a majority of the nodes votes, and the wall clock agrees with them} */
    public boolean isReady() {
        return clockFault.isEmpty() && isMajority(count(State.VOTES));
    }

    /**
     * {@return whether locks can be taken now, or when quarantines have ended, which they do by themselves} If not,
     * a person has to correct something.
     */
    public boolean isUsable() {
        return clockFault.isEmpty() && isMajority(count(State.VOTES) + count(State.QUARANTINED));
    }

    private long count(State state) {
        return nodes.stream().filter(node -> node.state() == state).count();
    }

    private boolean isMajority(long count) {
        return count >= nodes.size() / 2 + 1;
    }

    /** {@return one line for people: the result, and each fault with its node} */
    @Override
    public String toString() {
        String faults = nodes.stream()
                .filter(node -> node.state() != State.VOTES)
                .map(Node::toString)
                .collect(Collectors.joining("; "));
        return count(State.VOTES) + " of " + nodes.size() + " nodes vote, " + (nodes.size() / 2 + 1) + " must"
                + (faults.isEmpty() ? "" : "; " + faults)
                + (clockFault.isEmpty() ? "" : "; " + clockFault);
    }

    /** Whether a node takes part. */
    public enum State {

        /** It grants locks. */
        VOTES,

        /**
         * It works, and grants nothing new until a time is over: it may have forgotten locks, or, with
         * {@code guard=DEVELOPMENT}, processes that guard it may be about to show.
         */
        QUARANTINED,

        /** It cannot be reached, or must not be used. */
        UNUSABLE
    }

    /**
     * A node.
     *
     * @param address where it is, without user and password
     * @param state whether it takes part
     * @param cause why it does not, for people; empty if it votes
     * @param quarantine for how much longer it grants nothing; zero if it is not in quarantine
     */
    public record Node(String address, State state, String cause, Duration quarantine) {

        /**
         * Checks that everything is there.
         *
         * @param address where it is
         * @param state whether it takes part
         * @param cause why it does not
         * @param quarantine for how much longer it grants nothing
         */
        public Node {
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(cause, "cause");
            Objects.requireNonNull(quarantine, "quarantine");
        }

        /** {@return the address and what is known of the node} */
        @Override
        public String toString() {
            return address + ": " + (state == State.VOTES ? "votes" : cause);
        }
    }
}
