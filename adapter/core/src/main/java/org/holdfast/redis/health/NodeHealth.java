// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.CheckReport;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.redis.address.VoterAddress;

/**
 * What is known of one node, shared by all channels of a lock service.
 *
 * <pre>
 *                  admitted
 *   up, quarantined &lt;------- suspected, refused, settling, doubted
 *      |                          ^
 *      +--- failed, refuse, doubt +
 * </pre>
 *
 * <p>A node that is up or in quarantine is asked. Any other is not, so that a node which hangs costs one timeout when
 * it begins to hang and nothing afterwards. It is inspected ever more rarely, up to a bound, and admitted when it
 * answers and may vote: in the background, and by callers that cannot have a quorum without it.
 */
public final class NodeHealth {

    private static final System.Logger LOG = System.getLogger(NodeHealth.class.getName());
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private sealed interface State {
        /** It answers, and votes. */
        record Up() implements State {}

        /** It answers, and grants nothing new until then: it may have forgotten locks. */
        record Quarantined(long until, String reason) implements State {}

        /** It is not asked until an inspection has admitted it. */
        record Aside(AsideCause cause, String reason, long since, long pauseNanos, long nextLook) implements State {}
    }

    private static final State UP = new State.Up();

    /** It is asked as one that is up, and nothing is known of it yet. */
    private static final State NOT_LOOKED_AT = new State.Up();

    /** The reason of a quarantine that an inspection finds, and has not begun itself. */
    private static final String BY_MARK = "its birth mark says so";

    private final VoterAddress address;
    private final Time time;
    private final Recorder recorder;
    private final AtomicReference<State> state = new AtomicReference<>(NOT_LOOKED_AT);
    private final AsideLog log;
    private final WakeUp looks;
    private volatile long settledAt;

    /**
     * @param log of all lock services that share the node
     * @param looks has a node that is not asked inspected in time
     */
    NodeHealth(VoterAddress address, Time time, Recorder recorder, AsideLog log, WakeUp looks) {
        this.address = address;
        this.time = time;
        this.recorder = recorder;
        this.log = log;
        this.looks = looks;
    }

    /** Returns whether commands are to be sent to the node. */
    public boolean isAsked() {
        return !(state.get() instanceof State.Aside);
    }

    /** Returns whether the node votes, as far as is known. */
    boolean isUp() {
        return state.get() instanceof State.Up;
    }

    /** Returns what is known of the node, for messages. */
    public String reason() {
        State seen = state.get();
        if (seen instanceof State.Aside aside && aside.cause() == AsideCause.SETTLING) {
            return aside.reason(); // it says until when
        }
        if (seen instanceof State.Aside aside) {
            return aside.reason() + ", " + aside.cause().word() + " for "
                    + Duration.ofNanos(time.nanoTime() - aside.since()).toMillis() + " ms";
        }
        return seen instanceof State.Quarantined quarantined
                ? "in quarantine for another " + quarantine().toMillis() + " ms: " + quarantined.reason()
                : "up";
    }

    /** Returns what is known of the node. Of one that was not looked at yet, nothing is said to be well. */
    public CheckReport.Node report() {
        State seen = state.get();
        if (seen == NOT_LOOKED_AT) {
            return new CheckReport.Node(
                    address.toString(), CheckReport.State.UNUSABLE, "not looked at yet", Duration.ZERO);
        }
        if (seen == UP) {
            return new CheckReport.Node(address.toString(), CheckReport.State.VOTES, "", Duration.ZERO);
        }
        boolean ends = seen instanceof State.Quarantined;
        return new CheckReport.Node(
                address.toString(),
                ends ? CheckReport.State.QUARANTINED : CheckReport.State.UNUSABLE,
                reason(),
                ends ? quarantine() : Duration.ZERO);
    }

    /** Returns for how much longer the node grants nothing new; zero if it is not in quarantine. */
    public Duration quarantine() {
        return state.get() instanceof State.Quarantined quarantined
                ? Duration.ofNanos(Math.max(0, quarantined.until() - time.nanoTime()))
                : Duration.ZERO;
    }

    /** Returns whether the node is not asked for a reason that time alone ends. */
    public boolean isSettling() {
        return state.get() instanceof State.Aside aside && aside.cause() == AsideCause.SETTLING;
    }

    /** Returns for how much longer that is so; zero if it is over. */
    public Duration settling() {
        return isSettling() ? Duration.ofNanos(Math.max(0, settledAt - time.nanoTime())) : Duration.ZERO;
    }

    /** It did not answer, or could not be reached. */
    public void failed(String reason) {
        setAside(AsideCause.SUSPECTED, reason);
    }

    /** It answers, and is not to be used. */
    void refuse(String reason) {
        setAside(AsideCause.REFUSED, reason);
    }

    /**
     * It answers, and is not to be used.
     *
     * @param settlingNanos for how long, where time alone ends that; else 0
     */
    void refuse(String reason, long settlingNanos) {
        if (settlingNanos > 0) {
            settledAt = time.nanoTime() + settlingNanos;
        }
        setAside(settlingNanos > 0 ? AsideCause.SETTLING : AsideCause.REFUSED, reason);
    }

    /** It answers, and its clock has jumped. */
    void doubt(String reason) {
        setAside(AsideCause.DOUBTED, reason);
    }

    /** It could not be inspected, for a reason that is not the node's. If it is not asked, that becomes the reason. */
    void notLookedAt(String reason) {
        if (state.get() instanceof State.Aside aside) {
            setAside(aside.cause(), reason);
        }
    }

    /** A node that is refused is not doubted too: the log would report it again and again. */
    private void setAside(AsideCause cause, String reason) {
        State seen = state.get();
        if (seen instanceof State.Aside aside && aside.cause() == cause) { // for whatever stands against it by now
            State.Aside still = new State.Aside(cause, reason, aside.since(), aside.pauseNanos(), aside.nextLook());
            if (state.compareAndSet(seen, still)) {
                tell(still);
            }
            return;
        }
        State.Aside known = seen instanceof State.Aside aside ? aside : null;
        boolean same = known != null && known.cause() == AsideCause.REFUSED && cause == AsideCause.DOUBTED;
        long now = time.nanoTime();
        long pause = known == null ? FIRST_PAUSE_NANOS : known.pauseNanos();
        State.Aside aside = new State.Aside(cause, reason, now, pause, now + pause);
        if (!same && state.compareAndSet(seen, aside)) {
            looks.within(pause);
            recorder.node(address.toString(), cause.word(), reason);
            tell(aside);
        }
    }

    private void tell(State.Aside aside) {
        try {
            log(aside);
        } catch (OutOfMemoryError | LinkageError e) {
            // as without memory: a request to the other nodes must not fail because no line can be written of this one
        }
    }

    private void log(State.Aside aside) {
        AsideCause cause = aside.cause();
        String more = log.claimLine(this, cause);
        if (more != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0301: node " + address + " is " + cause.word() + ": " + aside.reason() + more);
            if (isAsked()) { // the thread that admitted it meanwhile did not know that this would be in the log
                tellOfReturn(aside);
            }
        }
    }

    private void tellOfReturn(State.Aside aside) {
        if (log.claimReturn(this)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "HF0302: node " + address + " is asked again after "
                            + Duration.ofNanos(time.nanoTime() - aside.since()).toMillis() + " ms");
        }
    }

    /** It answers and may be asked. */
    void admitted(Admission admission) {
        State seen;
        State now;
        do {
            seen = Objects.requireNonNull(state.get());
            now = admission.quarantineNanos() > 0 ? quarantined(admission, seen) : UP;
        } while (!state.compareAndSet(seen, now));
        if (seen.getClass() != now.getClass()) {
            boolean votes = now == UP;
            recorder.node(
                    address.toString(), votes ? "up" : "quarantined", votes ? "" : ((State.Quarantined) now).reason());
        }
        if (seen instanceof State.Aside aside) {
            tellOfReturn(aside);
        }
    }

    /** The inspection that has begun a quarantine knows why; later ones only see that it lasts. */
    private State.Quarantined quarantined(Admission admission, State before) {
        String known = before instanceof State.Quarantined already ? already.reason() : BY_MARK;
        return new State.Quarantined(
                time.nanoTime() + admission.quarantineNanos(),
                admission.reason().isEmpty() ? known : admission.reason());
    }

    /**
     * Claims the inspection of a node that is not asked; true for one caller each time it is due. The next time comes
     * after twice the pause.
     */
    public boolean claimLook() {
        State seen = state.get();
        long now = time.nanoTime();
        if (!(seen instanceof State.Aside a) || now - a.nextLook() < 0) {
            return false;
        }
        long pause = Math.min(LONGEST_PAUSE_NANOS, a.pauseNanos() * 2);
        return state.compareAndSet(seen, new State.Aside(a.cause(), a.reason(), a.since(), pause, now + pause));
    }

    /** Returns in how many nanoseconds a node that is not asked is to be inspected; 0 or less if now. */
    public long nanosUntilLook() {
        return state.get() instanceof State.Aside aside ? aside.nextLook() - time.nanoTime() : LONGEST_PAUSE_NANOS;
    }
}
