// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.util.regex.Pattern;

/** What can befall a node. */
enum Fault {

    /** It is gone, and what it had in memory with it. */
    KILLED("connect"),

    /** It stands still: connections are accepted and nothing is answered. */
    FROZEN("no answer|being connected to"),

    /** Nothing reaches it; it goes on, remembers its locks, and lets them expire. */
    CUT_OFF("connect");

    private final String symptom;

    Fault(String symptom) {
        this.symptom = symptom;
    }

    /** Returns what a client's message about such a node contains. */
    Pattern symptom() {
        return Pattern.compile(symptom, Pattern.CASE_INSENSITIVE);
    }
}
