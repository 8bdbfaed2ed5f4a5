// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

/** What can befall a node. */
enum Fault {

    /** It is gone, and what it had in memory with it. */
    KILLED("connection"),

    /** It stands still: connections are accepted and nothing is answered. */
    FROZEN("no answer"),

    /** Nothing reaches it; it goes on, remembers its locks, and lets them expire. */
    CUT_OFF("connection");

    private final String symptom;

    Fault(String symptom) {
        this.symptom = symptom;
    }

    /** Returns what a client's message about such a node contains, in whatever case. */
    String symptom() {
        return symptom;
    }
}
