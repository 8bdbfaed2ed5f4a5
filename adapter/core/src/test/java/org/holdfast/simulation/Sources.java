// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

/** Where the sources are that mutants change, as folders and files below a source folder. */
final class Sources {

    static final String PROTOCOL = "org/holdfast/protocol/";
    static final String QUORUM = PROTOCOL + "quorum/";
    static final String GUARD = PROTOCOL + "guard/";
    static final String TERM = PROTOCOL + "term/";
    static final String LEASE = PROTOCOL + "lease/";
    static final String QUEUE = PROTOCOL + "queue/";
    static final String WAITING = PROTOCOL + "waiting/";
    static final String LATCH = PROTOCOL + "latch/";
    static final String SCRIPTS = "org/holdfast/redis/";
    static final String CLUSTER = SCRIPTS + "cluster/";
    static final String CODEC = SCRIPTS + "script/CallWriter.java";
    static final String NETWORK = "org/holdfast/simulation/Network.java";
    static final String CONNECTION = "org/holdfast/simulation/SimulatedConnection.java";

    private Sources() {}
}
