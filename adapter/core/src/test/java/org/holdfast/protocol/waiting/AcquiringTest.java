// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.quorum.QuorumResult;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;

/** What a caller learns from another one that waits for the same lock. */
class AcquiringTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    /** The head of a line asks seldom: what it found may be from before an outage. */
    private Acquiring headThatFoundTheLockHeld() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(30_000));
        }
        Acquiring head = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("head"));
        head.enter(() -> {});
        head.step();
        assertThat(head.result()).isNull();
        fixture.time.passMillis(10);
        return head;
    }

    @Test
    void acquire_behindAWaiterThatAskedBeforeAnOutage_reportsTheOutage() throws Exception {
        Acquiring head = headThatFoundTheLockHeld();
        for (int node = 0; node < 2; node++) {
            fixture.service.node(node, new Reply.NoAnswer("it hangs"));
        }
        AcquireResult done = fixture.acquire(fixture.nodes, fixture.request(100), List.of(Holder.thread()));
        assertThat(done).isInstanceOf(AcquireResult.Unavailable.class);
        head.leave();
    }

    @Test
    void acquire_behindAWaiterThatAskedSince_asksNothing() throws Exception {
        Acquiring head = headThatFoundTheLockHeld();
        Acquiring behind = fixture.acquirer.begin(fixture.request(100), Holder.transaction("behind"));
        behind.enter(() -> {});
        assertThat(behind.found()).isNull();
        fixture.time.passMillis(10);
        head.step();
        assertThat(head.result()).isNull();
        int asked = fixture.service.sent(Command.Acquire.class).size();
        fixture.time.passMillis(100);
        behind.step();
        assertThat(fixture.service.sent(Command.Acquire.class)).hasSize(asked);
        assertThat(behind.result()).isInstanceOf(AcquireResult.TimedOut.class);
        behind.leave();
        head.leave();
    }

    /** Between two looks at the clock any time may pass: a caller that has not asked must not learn of contention. */
    @Test
    void step_asTheWaitTimeoutEnds_asksBeforeItReportsContention() {
        for (int lookAtTheEnd = 1; lookAtTheEnd < 40; lookAtTheEnd++) {
            Acquiring head = headThatFoundTheLockHeld();
            Acquiring behind = fixture.acquirer.begin(fixture.request(100), Holder.transaction("behind"));
            behind.enter(() -> {});
            fixture.time.passMillis(100);
            fixture.time.pass(-1_000L * lookAtTheEnd);
            int asked = fixture.service.sent(Command.Acquire.class).size();
            fixture.time.passBeforeEachLook(1_000);
            for (int steps = 0; behind.result() == null && steps < 40; steps++) {
                behind.step();
            }
            fixture.time.passBeforeEachLook(0);
            assertThat(behind.result()).isInstanceOf(AcquireResult.TimedOut.class);
            assertThat(fixture.service.sent(Command.Acquire.class))
                    .as("attempts, where look %d finds the time over", lookAtTheEnd)
                    .hasSizeGreaterThan(asked);
            behind.leave();
            head.leave();
        }
    }

    /** A caller of this process or of another one that comes before the nodes know it is served first. */
    @Test
    void fairWaiter_hasAPlaceWhenTheNodesKnowIt() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(30_000));
        }
        Acquiring waiter = fixture.acquirer.begin(fixture.request(60_000).fair(true), Holder.transaction("waiter"));
        waiter.enter(() -> {});
        assertThat(fixture.waitQueues.waiters()).isOne();
        assertThat(fixture.waitQueues.placed()).isZero();
        waiter.step();
        assertThat(fixture.waitQueues.placed()).isOne();
        fixture.time.pass(fixture.timing.ticketTtl().toNanos() / 2);
        fixture.engine.sweep();
        assertThat(fixture.service.sent(Command.Refresh.class))
                .as("it keeps its place for longer than a ticket lasts")
                .hasSize(3);
        waiter.leave();
        assertThat(fixture.waitQueues.placed()).isZero();
    }

    private List<AttemptLimiter.Pass> asManyAttemptsAsMayBe() {
        List<AttemptLimiter.Pass> all = new ArrayList<>();
        for (int i = 0; i < ProtocolFixture.MOST_ATTEMPTS; i++) {
            AttemptLimiter.Pass pass = fixture.attemptLimiter.new Pass(() -> {});
            assertThat(pass.enter()).isTrue();
            all.add(pass);
        }
        return all;
    }

    @Test
    void step_whileTooManyAttempt_asksWhenItIsLetIn() {
        List<AttemptLimiter.Pass> others = asManyAttemptsAsMayBe();
        boolean[] woken = new boolean[1];
        Acquiring waiter = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("waiter"));
        waiter.enter(() -> woken[0] = true);
        assertThat(waiter.step()).isPositive();
        assertThat(fixture.service.sent(Command.Acquire.class)).isEmpty();

        others.get(0).leave();
        assertThat(woken[0]).isTrue();
        waiter.step();
        assertThat(waiter.result()).isInstanceOf(AcquireResult.Held.class);
        waiter.leave();
        assertThat(fixture.attemptLimiter.new Pass(() -> {}).enter())
                .as("its place is free again")
                .isTrue();
    }

    /** Another waiter has asked since it came, so its time ends as it should. */
    @Test
    void step_whileTooManyAttempt_endsWithTheWaitTimeout() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(30_000));
        }
        Acquiring head = fixture.acquirer.begin(fixture.request(60_000).fair(true), Holder.transaction("head"));
        Acquiring behind = fixture.acquirer.begin(fixture.request(100).fair(true), Holder.transaction("behind"));
        fixture.time.passMillis(1);
        head.enter(() -> {});
        head.step();
        asManyAttemptsAsMayBe();
        behind.enter(() -> {});
        behind.step();
        assertThat(behind.result()).isNull();
        fixture.time.passMillis(100);
        behind.step();
        assertThat(behind.result()).isInstanceOf(AcquireResult.TimedOut.class);
        behind.leave();
        head.leave();
    }

    /** All attempts that there may be hang: the callers of many lines cannot each have their own. */
    @Test
    void step_whileTooManyAttemptForTooLong_reportsThatNoneWasMade() {
        asManyAttemptsAsMayBe();
        Acquiring waiter = fixture.acquirer.begin(fixture.request(100), Holder.transaction("waiter"));
        waiter.enter(() -> {});
        waiter.step();
        fixture.time.passMillis(100);
        assertThat(waiter.step()).isEqualTo(fixture.timing.nodeTimeout().toNanos());
        fixture.time.pass(fixture.timing.nodeTimeout().toNanos());
        waiter.step();
        assertThat(waiter.result()).isInstanceOf(AcquireResult.Unavailable.class);
        waiter.leave();
        assertThat(fixture.waitQueues.size()).isZero();
    }

    /** The last attempt begins so late that the wait timeout ends before a node timeout has passed. */
    private AcquireResult resultWhereTheLastAttemptBeginsLate(Reply late) {
        headThatFoundTheLockHeld().leave();
        Acquiring waiter = fixture.acquirer.begin(fixture.request(10_000), Holder.transaction("waiter"));
        waiter.enter(() -> {});
        waiter.step();
        assertThat(waiter.result()).isNull();
        fixture.time.passMillis(9_980);
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, late).latency(node, 40);
        }
        waiter.step();
        if (waiter.result() == null) {
            fixture.time.passMillis(20);
            waiter.step();
        }
        waiter.leave();
        return waiter.result();
    }

    @Test
    void acquire_whoseLastAttemptFindsAnOutageAfterTheTimeout_reportsTheOutage() {
        assertThat(resultWhereTheLastAttemptBeginsLate(new Reply.NoAnswer("it hangs")))
                .isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void acquire_whoseLastAttemptIsAnsweredAfterTheTimeout_reportsContention() {
        assertThat(resultWhereTheLastAttemptBeginsLate(new Reply.Held(30_000)))
                .isInstanceOf(AcquireResult.TimedOut.class);
    }

    @Test
    void wait_ofAnInterruptedThread_endsWithoutAnAttempt() {
        Acquiring waiter = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("waiter"));
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> new BlockingWait(waiter, new StopFlag(), true).await());
        assertThat(fixture.service.sent(Command.Acquire.class)).isEmpty();
        assertThat(fixture.waitQueues.size()).isZero();
    }

    @Test
    void leave_whileItHasToWaitForItsAttempt_leavesNothingBehind() {
        List<AttemptLimiter.Pass> others = asManyAttemptsAsMayBe();
        Acquiring waiter = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("waiter"));
        waiter.enter(() -> {});
        waiter.step();
        waiter.leave();
        others.get(0).leave();
        assertThat(fixture.attemptLimiter.new Pass(() -> {}).enter()).isTrue();
        assertThat(fixture.waitQueues.size()).isZero();
    }

    /** It waits for no attempt of its own, which would see the stop. */
    @Test
    void step_ofAWaiterBehindAnother_endsWhenTheServiceStops() {
        Acquiring head = headThatFoundTheLockHeld();
        boolean[] woken = new boolean[1];
        Acquiring behind = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("behind"));
        behind.enter(() -> woken[0] = true);
        behind.step();
        fixture.engine.stopWaiting();
        assertThat(woken[0]).isTrue();
        assertThatIllegalStateException().isThrownBy(behind::step);
        behind.leave();
        head.leave();
    }

    /** It may be free for a request to another process. */
    @Test
    void acquire_refusedWhileTheServiceStops_doesNotSayThatTheLockIsHeld() {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, command -> {
                fixture.engine.stopWaiting();
                return new Reply.Held(30_000);
            });
        }
        Acquiring once = fixture.acquirer.begin(fixture.request(0), Holder.transaction("once"));
        assertThatIllegalStateException().isThrownBy(() -> once.attempt(fixture.nodes));
    }

    @Test
    void acquire_behindAWaiterThatAskedLater_reportsWhatThatFound() {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, new Reply.Held(30_000));
        }
        Acquiring behind = fixture.acquirer.begin(fixture.request(100), Holder.transaction("behind"));
        behind.attempt(fixture.nodes);
        fixture.time.passMillis(1);
        Acquiring head = fixture.acquirer.begin(fixture.request(60_000), Holder.transaction("head"));
        head.enter(() -> {});
        behind.enter(() -> {});
        assertThat(behind.found()).isInstanceOf(QuorumResult.Contended.class);
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.NoAnswer("it hangs"));
        }
        head.step();
        assertThat(behind.found()).isInstanceOf(QuorumResult.Undetermined.class);
        fixture.time.passMillis(100);
        behind.step();
        assertThat(behind.result()).isInstanceOf(AcquireResult.Unavailable.class);
        behind.leave();
        head.leave();
    }

    /** A caller whose lock was handed to the recorder, which failed: nothing else would release it. */
    @Test
    void lock_whoseResultCannotBeRecorded_isReleased() {
        Recorder failing = new Recorder() {
            @Override
            public Recorder.Acquiring acquiring() {
                return (request, result, token) -> {
                    throw new UnsupportedOperationException("on purpose");
                };
            }
        };
        LockEngine engine = new LockEngine(
                new LockEngine.Environment(fixture.time, fixture.randomness, failing, new ProcessInfo("test-host", 42)),
                fixture.timing,
                fixture.unfinished,
                new LockEngine.Connections(fixture.service, fixture.service, fixture.notifications),
                new LockEngine.Threads(Runnable::run, Runnable::run, WakeUp.NONE));
        LockRequest request = fixture.request(0);
        NodesConnection connection = new NodesConnection(fixture.session(engine, Transactions.NONE), fixture.nodes);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> connection.acquire(request));
        assertThat(fixture.service.sent(Command.Release.class)).hasSize(3);
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    /** Other processes are to go first, so the caller attempts nothing for a moment: another caller may. */
    @Test
    void step_thatHasBecomeTooEarly_givesTheAttemptToOthers() throws Exception {
        List<AttemptLimiter.Pass> others = asManyAttemptsAsMayBe();
        Acquiring waiter = fixture.acquirer.begin(
                fixture.request(60_000).ttl(Duration.ofMillis(1_001)), Holder.transaction("waiter"));
        waiter.enter(() -> {});
        waiter.step();
        HeldLock released = ((AcquireResult.Held)
                        fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread())))
                .heldLock();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Released(1));
        }
        fixture.leases.giveBack(List.of(LeaseShare.of(released, false)));
        others.get(0).leave();
        assertThat(waiter.step()).isPositive();
        assertThat(fixture.service.sent(Command.Acquire.class)).isEmpty();
        assertThat(fixture.attemptLimiter.new Pass(() -> {}).enter()).isTrue();
        waiter.leave();
    }
}
