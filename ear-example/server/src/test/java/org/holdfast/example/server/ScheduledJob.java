// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Schedule;
import jakarta.ejb.Singleton;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.cdi.LockTimedOut;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;

/** A job that every server starts and one is to do; done at once. */
@Singleton
public class ScheduledJob {

    static final int SECONDS_BETWEEN = 10;

    private static final List<String> SEEN = new CopyOnWriteArrayList<>();

    @Schedule(hour = "*", minute = "*", second = "*/" + SECONDS_BETWEEN, persistent = false)
    @Locked(value = "scheduled", onBusy = OnBusy.SKIP, atLeast = "PT5S")
    public void run() {
        see("run");
    }

    public void skipped(@Observes LockTimedOut event) {
        see(event.skipped() ? "skip" : "timeout");
    }

    private static void see(String what) {
        SEEN.add(what + " " + System.currentTimeMillis() / (SECONDS_BETWEEN * 1_000));
    }

    /** Returns what this server has done at which tick, a line each. */
    static String seen() {
        return String.join("\n", SEEN);
    }
}
