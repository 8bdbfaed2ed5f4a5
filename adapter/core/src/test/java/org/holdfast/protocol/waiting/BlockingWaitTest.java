// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.ScriptedWaits;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** What ends the wait of a thread, and what is left of it then. */
class BlockingWaitTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedWaits waits = new ScriptedWaits(fixture.time);
    private final StopFlag closing = new StopFlag("closed meanwhile");
    private final LockEngine engine = engine(Recorder.NONE);

    private LockEngine engine(Recorder recorder) {
        return new LockEngine(
                new LockEngine.Environment(waits, fixture.randomness, recorder, new ProcessInfo("test-host", 42)),
                fixture.timing,
                fixture.unfinished,
                new LockEngine.Connections(fixture.service, fixture.service, fixture.notifications),
                new LockEngine.Threads(Runnable::run, Runnable::run, WakeUp.NONE));
    }

    private void everyNode(Reply toAttempts) {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(
                    node, command -> command instanceof Command.Acquire ? toAttempts : ScriptedNodes.agree(command));
        }
    }

    private BlockingWait waitOf(LockEngine of, boolean interruptible) {
        Acquiring acquiring = EngineBridge.acquirer(of).begin(fixture.request(10_000), Holder.transaction("waiter"));
        return new BlockingWait(acquiring, closing, interruptible);
    }

    @Test
    void wait_whoseConnectionIsClosedMeanwhile_endsAtOnce() {
        everyNode(new Reply.Held(30_000));
        long begun = fixture.time.nanoTime();
        waits.events.add(closing::raise);
        assertThatIllegalStateException()
                .isThrownBy(() -> waitOf(engine, true).await())
                .withMessage("closed meanwhile");
        assertThat(waits.raised).isOne();
        assertThat(fixture.time.nanoTime() - begun)
                .isLessThan(Duration.ofMillis(10).toNanos());
        assertThat(EngineBridge.remembered(engine)).isZero();
        closing.raise();
        assertThat(waits.raised).as("the wait is over").isOne();
    }

    @Test
    void wait_thatAnInterruptMustNotEnd_keepsItForLater() throws Exception {
        everyNode(new Reply.Held(30_000));
        waits.events.add(() -> {
            everyNode(new Reply.Granted());
            throw new InterruptedException("a test");
        });
        assertThat(waitOf(engine, false).await()).isInstanceOf(AcquireResult.Held.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void wait_thatAnInterruptMayEnd_endsWithIt() {
        everyNode(new Reply.Held(30_000));
        waits.events.add(() -> {
            throw new InterruptedException("a test");
        });
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> waitOf(engine, true).await());
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    /** The caller gets an exception, so nothing else would release it. */
    @Test
    void lock_whoseCallerFailsToLeaveTheLine_isReleased() {
        LockEngine failing = engine(new Recorder() {
            @Override
            public Queueing queueing() {
                return (lock, line, held) -> {
                    throw new UnsupportedOperationException("on purpose");
                };
            }
        });
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> waitOf(failing, true).await());
        assertThat(fixture.service.sent(Command.Acquire.class)).hasSize(3);
        assertThat(fixture.service.sent(Command.Release.class)).hasSize(3);
        assertThat(EngineBridge.remembered(failing)).isZero();
    }

    private void waitInVain() throws InterruptedException {
        EngineBridge.acquirer(engine).waitInVain(Duration.ofHours(1).toNanos(), closing);
    }

    @Test
    void waitInVain_takesItsTime() throws Exception {
        long begun = fixture.time.nanoTime();
        waitInVain();
        assertThat(fixture.time.nanoTime() - begun)
                .isEqualTo(Duration.ofHours(1).toNanos());
        closing.raise();
        assertThat(waits.raised).as("the wait is over").isZero();
    }

    @Test
    void waitInVain_whoseConnectionIsClosedMeanwhile_endsAtOnce() {
        long begun = fixture.time.nanoTime();
        waits.events.add(closing::raise);
        assertThatIllegalStateException().isThrownBy(this::waitInVain).withMessage("closed meanwhile");
        assertThat(fixture.time.nanoTime()).isEqualTo(begun);
        waits.events.add(() -> fixture.time.passMillis(1));
        assertThatIllegalStateException().isThrownBy(this::waitInVain).withMessage("closed meanwhile");
        assertThat(fixture.time.nanoTime()).as("it was closed before").isEqualTo(begun);
    }

    @Test
    void waitInVain_whileTheServiceStops_endsAtOnce() {
        long begun = fixture.time.nanoTime();
        waits.events.add(engine::stopWaiting);
        assertThatIllegalStateException().isThrownBy(this::waitInVain).withMessageStartingWith("HF0224:");
        assertThat(fixture.time.nanoTime()).isEqualTo(begun);
    }
}
