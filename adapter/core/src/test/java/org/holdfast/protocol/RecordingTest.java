// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.holdfast.protocol.waiting.Acquiring;
import org.holdfast.protocol.waiting.BlockingWait;
import org.junit.jupiter.api.Test;

/** What is recorded of acquisitions, waits and renewals. */
class RecordingTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final List<String> recorded = new ArrayList<>();

    private final LockEngine engine = new LockEngine(
            new LockEngine.Environment(fixture.time, fixture.randomness, recorder(), new ProcessInfo("test-host", 42)),
            fixture.timing,
            fixture.unfinished,
            new LockEngine.Connections(fixture.service, fixture.service, fixture.notifications),
            new LockEngine.Threads(Runnable::run, Runnable::run, WakeUp.NONE));

    private Recorder recorder() {
        return new Recorder() {
            @Override
            public Acquiring acquiring() {
                return (request, result, token) ->
                        recorded.add(request.name() + " " + result + (token == 0 ? "" : " " + token));
            }

            @Override
            public Queueing queueing() {
                return (lock, line, held) -> recorded.add(lock + " in line " + line + " " + held);
            }

            @Override
            public Renewing renewing() {
                return (leases, extended) -> recorded.add(extended + " of " + leases + " renewed");
            }
        };
    }

    private AcquireResult acquire(String name, long waitMillis) throws InterruptedException {
        LockRequest request = LockRequest.of(name)
                .waitTimeout(Duration.ofMillis(waitMillis))
                .ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
        Acquiring acquiring = engine.acquirer.begin(request, Holder.transaction(name));
        AcquireResult atOnce = acquiring.attempt(fixture.service);
        return atOnce != null ? atOnce : new BlockingWait(acquiring, new StopFlag(), true).await();
    }

    private HeldLock heldLock(String name) throws InterruptedException {
        return ((AcquireResult.Held) acquire(name, 0)).heldLock();
    }

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, reply);
        }
    }

    @Test
    void acquisition_isRecordedWithItsResult() throws Exception {
        long token = heldLock("a").token();
        everyNode(new Reply.Held(900));
        acquire("b", 0);
        everyNode(new Reply.NotSent("refused"));
        acquire("c", 0);
        fixture.service.clocksOffBy(3_600_000_000L);
        everyNode(new Reply.TokenSkewed(3_600_000));
        acquire("d", 0);
        assertThat(recorded).containsExactly("a HELD " + token, "b TIMED_OUT", "c UNAVAILABLE", "d CLOCK_SKEWED");
    }

    @Test
    void wait_isRecordedWithItsEnd() throws Exception {
        everyNode(new Reply.Held(20));
        acquire("a", 100);
        assertThat(recorded).containsExactly("a TIMED_OUT", "a in line BARGING false");
        recorded.clear();
        long free = fixture.time.nanoTime() + Duration.ofMillis(30).toNanos();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(
                    node,
                    command -> fixture.time.nanoTime() - free < 0 ? new Reply.Held(20) : ScriptedNodes.agree(command));
        }
        acquire("a", 1_000);
        assertThat(recorded).hasSize(2).last().isEqualTo("a in line BARGING true");
    }

    @Test
    void renewal_isRecordedWithTheNumberOfLeasesThatLastLonger() throws Exception {
        HeldLock a = heldLock("a");
        heldLock("b");
        heldLock("c");
        recorded.clear();
        for (int node = 0; node < 3; node++) {
            fixture.service.node(
                    node,
                    command -> command instanceof Command.Renew renew
                                    && renew.claim().target().name().equals("a")
                            ? new Reply.NoAnswer("silence")
                            : ScriptedNodes.agree(command));
        }
        fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 3 + 7);
        engine.renew();
        assertThat(recorded).containsExactly("2 of 3 renewed");
        engine.leases.renew(a);
        everyNode(new Reply.Granted());
        engine.leases.renew(a);
        assertThat(recorded).endsWith("0 of 1 renewed", "1 of 1 renewed");
    }
}
