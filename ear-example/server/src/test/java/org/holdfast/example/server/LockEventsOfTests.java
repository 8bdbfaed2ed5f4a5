// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.LeaseLost;
import org.holdfast.cdi.LeaseReleased;
import org.holdfast.cdi.LockTimedOut;

/** Receives in the web module the events of the extension in the EAR's library. */
@ApplicationScoped
public class LockEventsOfTests {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    void acquired(@Observes LeaseAcquired event) {
        heard.add("acquired " + event.names());
    }

    void released(@Observes LeaseReleased event) {
        heard.add("released " + event.names());
    }

    void lost(@Observes LeaseLost event) {
        heard.add("lost " + event.loss().name());
    }

    void timedOut(@Observes LockTimedOut event) {
        heard.add((event.skipped() ? "skipped " : "timed out ") + event.names());
    }

    /** Returns the events of a lock. */
    public List<String> of(String lock) {
        return heard.stream().filter(what -> what.contains(lock)).toList();
    }
}
