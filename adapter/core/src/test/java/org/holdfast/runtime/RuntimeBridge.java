// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.Map;
import org.holdfast.LockConnectionFactory;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.runtime.scheduling.Scheduling;

/** Opens the room's door a little for tests: a process whose clock a test has in hand. */
public final class RuntimeBridge {

    private RuntimeBridge() {}

    /** Returns what {@link org.holdfast.Holdfast#connect(Map)} does, by another clock. */
    public static LockConnectionFactory connect(Map<String, String> settings, Time time) {
        return new StandaloneConnectionFactory(Settings.of(settings), time);
    }

    /** Returns a service without transactions, by another clock and with threads that a test has in hand. */
    public static LockService service(Map<String, String> settings, Scheduling scheduling, Time time) {
        return new LockService(Settings.of(settings), Transactions.NONE, scheduling, time);
    }

    /** Returns the name of the host as locks show it. */
    public static String host() {
        return ThisProcess.WHEREABOUTS.host();
    }
}
