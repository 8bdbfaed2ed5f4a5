// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.holdfast.LeaseLoss;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;

/**
 * What happens to locks, as events of the JDK Flight Recorder.
 *
 * <p>Without a recording, nothing is allocated and no clock is read: one event of each kind is there to be asked
 * whether its kind is recorded. So none is made for the first time when a loss is to be reported: a class that cannot
 * be initialized then, for want of memory, never can be.
 */
final class FlightEvents implements Recorder {

    private static final String HOLDFAST = "Holdfast";

    /** What is quicker is not worth an event, unless the recording is set to have it. */
    private static final String THRESHOLD = "10 ms";

    private final Acquire acquire = new Acquire();
    private final Wait wait = new Wait();
    private final Renew renew = new Renew();
    private final Lost lost = new Lost();
    private final NodeState nodeState = new NodeState();

    @Name("org.holdfast.Acquire")
    @Label("Lock Acquisition")
    @Description("A caller asked for a lock, and waited for it if need be; not where the holder had it already")
    @Category(HOLDFAST)
    @Threshold(THRESHOLD)
    static final class Acquire extends Event implements Acquiring {

        @Label("Name")
        String name = "";

        @Label("Mode")
        String mode = "";

        @Label("Outcome")
        String outcome = "";

        @Label("Token")
        long token;

        @Override
        public void ended(LockRequest request, String how, long ofLease) {
            end();
            if (shouldCommit()) {
                name = String.join(",", request.names());
                mode = request.mode().name();
                outcome = how;
                token = ofLease;
                commit();
            }
        }
    }

    @Name("org.holdfast.Wait")
    @Label("Waiting for a Lock")
    @Description("A caller of this process waited in line for a lock")
    @Category(HOLDFAST)
    @Threshold(THRESHOLD)
    @StackTrace(false)
    static final class Wait extends Event implements Queueing {

        @Label("Name")
        String name = "";

        @Label("Line")
        String line = "";

        @Label("Held")
        boolean held;

        @Override
        public void ended(String lock, String inLine, boolean withIt) {
            end();
            if (shouldCommit()) {
                name = lock;
                line = inLine;
                held = withIt;
                commit();
            }
        }
    }

    @Name("org.holdfast.Renew")
    @Label("Renewal of Leases")
    @Description("Leases were renewed on all nodes at once")
    @Category(HOLDFAST)
    @Threshold(THRESHOLD)
    @StackTrace(false)
    static final class Renew extends Event implements Renewing {

        @Label("Leases")
        int leases;

        @Label("Extended")
        int extended;

        @Override
        public void ended(int renewed, int longer) {
            end();
            if (shouldCommit()) {
                leases = renewed;
                extended = longer;
                commit();
            }
        }
    }

    @Name("org.holdfast.Lost")
    @Label("Lease Loss")
    @Description("A lease ended without release")
    @Category(HOLDFAST)
    @StackTrace(false)
    static final class Lost extends Event {

        @Label("Name")
        String name = "";

        @Label("Token")
        long token;

        @Label("Reason")
        String reason = "";
    }

    @Name("org.holdfast.NodeState")
    @Label("State of a Node")
    @Description("A node was set aside, is in quarantine, or is up again")
    @Category(HOLDFAST)
    @StackTrace(false)
    static final class NodeState extends Event {

        @Label("Node")
        String node = "";

        @Label("State")
        String state = "";

        @Label("Reason")
        String reason = "";
    }

    @Override
    public Acquiring acquiring() {
        if (!acquire.isEnabled()) {
            return Recorder.super.acquiring();
        }
        Acquire event = new Acquire();
        event.begin();
        return event;
    }

    @Override
    public Queueing queueing() {
        if (!wait.isEnabled()) {
            return Recorder.super.queueing();
        }
        Wait event = new Wait();
        event.begin();
        return event;
    }

    @Override
    public Renewing renewing() {
        if (!renew.isEnabled()) {
            return Recorder.super.renewing();
        }
        Renew event = new Renew();
        event.begin();
        return event;
    }

    @Override
    public void lost(LeaseLoss loss) {
        if (lost.isEnabled()) {
            Lost event = new Lost();
            event.name = loss.name();
            event.token = loss.token();
            event.reason = loss.reason();
            event.commit();
        }
    }

    @Override
    public void node(String node, String state, String reason) {
        if (nodeState.isEnabled()) {
            NodeState event = new NodeState();
            event.node = node;
            event.state = state;
            event.reason = reason;
            event.commit();
        }
    }
}
