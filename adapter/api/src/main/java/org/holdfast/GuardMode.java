// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** What is done about nodes that may have forgotten locks: the values of {@link Setting#GUARD}. */
public enum GuardMode {

    /** They grant nothing new until every lock that they may have forgotten has expired. */
    QUARANTINE,

    /**
     * Nothing, and a node that other processes guard is refused: for a developer's own nodes, which are started many
     * times a day.
     */
    DEVELOPMENT,

    /** Nothing: the operator keeps them away for so long. */
    OFF
}
