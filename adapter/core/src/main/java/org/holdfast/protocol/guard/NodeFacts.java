// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a node reports of itself when a process looks at it.
 *
 * @param process which Redis process it is
 * @param primary false for a replica of another node
 * @param clustered whether it is part of a Redis Cluster
 * @param mayEvict whether it may remove keys when memory is short
 * @param durabilityFault why a restart may lose a write that was answered, as far as that can be asked; looked for only
 *     where the operator vouches that it does not
 * @param nowMicros its clock
 * @param appointment of a voter that moves; empty for one at a fixed address
 */
public record NodeFacts(
        BirthMark.Process process,
        boolean primary,
        boolean clustered,
        boolean mayEvict,
        Optional<String> durabilityFault,
        long nowMicros,
        Optional<Appointment> appointment) {

    /** What names the process that is a voter. */
    public enum Namer {
        SENTINELS("its Sentinels name"),
        CLUSTER("its cluster names");

        private final String words;

        Namer(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * How the process came to be the voter.
     *
     * @param term of this client, see {@link org.holdfast.protocol.term.Terms}; a process of another term has
     *     another clock
     * @param epoch of the witnesses: part of what the mark says of a promotion
     * @param unsettledNanos for how much longer it is not to be used, unless its mark shows that a client has waited
     *     for so long in this term
     * @param namer names the process as the voter
     * @param lacksWitnesses how many others must name it besides itself before it is used for the first time in this
     *     term; empty if they have
     */
    public record Appointment(int term, long epoch, long unsettledNanos, Namer namer, OptionalInt lacksWitnesses) {

        /** One that is named by others than itself. */
        public Appointment(int term, long epoch, long unsettledNanos, Namer namer) {
            this(term, epoch, unsettledNanos, namer, OptionalInt.empty());
        }

        /**
         * Returns what the mark says of the promotion: a process that is named once more, without having been a replica
         * meanwhile, has missed what another one granted.
         *
         * @param promotion what the process says of it
         */
        public String ofMark(String promotion) {
            return promotion + "@" + epoch;
        }
    }

    /** What a node at a fixed address reports. */
    public NodeFacts(
            BirthMark.Process process,
            boolean primary,
            boolean clustered,
            boolean mayEvict,
            Optional<String> durabilityFault,
            long nowMicros) {
        this(process, primary, clustered, mayEvict, durabilityFault, nowMicros, Optional.empty());
    }

    /** Returns whether its cluster names it: it is a shard, and votes on the names in its slots. */
    boolean isShard() {
        return appointment.map(Appointment::namer).filter(Namer.CLUSTER::equals).isPresent();
    }

    /** Returns the number of the term; 0 at a fixed address. */
    int term() {
        return appointment.map(Appointment::term).orElse(0);
    }
}
