// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;

/** A lease goes to the application on one of its threads, or back to the nodes. */
class AsyncDeliveryTest {

    private static final Duration TTL = Duration.ofMillis(ProtocolFixture.TTL_MILLIS);

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final Queue<Runnable> applications = new ArrayDeque<>();
    private boolean noThreads;

    private final LockEngine engine = engine(Recorder.NONE);

    private LockEngine engine(Recorder recorder) {
        return new LockEngine(
                new LockEngine.Environment(
                        fixture.time, fixture.randomness, recorder, new ProcessInfo("test-host", 42)),
                fixture.timing,
                fixture.unfinished,
                new LockEngine.Connections(fixture.service, fixture.service, fixture.notifications),
                new LockEngine.Threads(Runnable::run, this::lend, fixture.wakeUps::add));
    }

    private void lend(Runnable call) {
        if (noThreads) {
            throw new RejectedExecutionException("all threads are blocked");
        }
        applications.add(call);
    }

    private void runApplications() {
        Runnable next;
        while ((next = applications.poll()) != null) {
            next.run();
        }
    }

    private CompletableFuture<Lease> ask(LockEngine of, String name) {
        LockRequest request =
                LockRequest.of(name).ttl(TTL).waitTimeout(Duration.ofSeconds(5)).detached();
        return fixture.session(of, Transactions.NONE).acquireAsync(request);
    }

    private int releases() {
        return fixture.service.sent(Command.Release.class).size();
    }

    private int attemptsFor(String name) {
        return (int) fixture.service.sent(Command.Acquire.class).stream()
                .filter(sent -> ((Command.Acquire) sent.command())
                        .claim()
                        .target()
                        .name()
                        .equals(name))
                .count();
    }

    private void assertFailsWith(CompletableFuture<Lease> future, String message) {
        runApplications();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(future::join)
                .withMessageContaining(message);
    }

    @Test
    void lease_isHandedOutOnAThreadOfTheApplication_andStaysHeld() {
        CompletableFuture<Lease> future = ask(engine, "a");
        assertThat(future).isNotDone();
        runApplications();
        assertThat(future).isCompleted();
        fixture.time.pass(TTL.toNanos() / 2);
        engine.renew();
        engine.sweep();
        fixture.time.pass(TTL.toNanos() / 2);
        engine.sweep();
        assertThat(future.join().isHeld()).isTrue();
        assertThat(releases()).isZero();
        future.join().release();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void lease_thatTheApplicationDoesNotFetch_isReleased() {
        CompletableFuture<Lease> future = ask(engine, "a");
        fixture.time.pass(TTL.toNanos() / 2);
        engine.renew();
        fixture.time.pass(TTL.toNanos() / 2 - 1 - Duration.ofMillis(3).toNanos());
        engine.sweep();
        assertThat(releases()).isZero();
        fixture.time.passMillis(3);
        engine.sweep();
        assertThat(releases()).isEqualTo(3);
        assertFailsWith(future, "was granted and released again");
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void lease_cancelledBeforeItIsHandedOut_isReleased() {
        CompletableFuture<Lease> future = ask(engine, "a");
        future.cancel(true);
        assertThat(releases()).isEqualTo(3);
        runApplications();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void lease_cancelledWhileItIsHandedOut_isReleased() {
        CompletableFuture<Lease> future = ask(engine, "a");
        future.thenAccept(lease -> {
            throw new IllegalStateException("never called");
        });
        future.obtrudeException(new IllegalStateException("by the application")); // no caller is told
        runApplications();
        assertThat(releases()).isEqualTo(3);
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void lease_thatIsNotHandedOutWhenTheServiceStops_isReleased() {
        CompletableFuture<Lease> future = ask(engine, "a");
        engine.stopWaiting();
        assertThat(releases()).isEqualTo(3);
        assertFailsWith(future, "stopped");
    }

    @Test
    void request_cancelledInLine_leavesIt() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(30_000));
        }
        CompletableFuture<Lease> future = ask(engine, "a");
        assertThat(engine.waiters()).isOne();
        future.cancel(true);
        assertThat(engine.waiters()).isZero();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    @Test
    void request_afterTheStop_isRefused() {
        engine.stopWaiting();
        assertThatIllegalStateException().isThrownBy(() -> ask(engine, "a"));
        assertThat(fixture.service.sent).isEmpty();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    /** More than a second's sweeps in which no continuation was begun. */
    private CompletableFuture<Lease> blockApplications() {
        noThreads = true;
        CompletableFuture<Lease> first = ask(engine, "first");
        for (int i = 0; i <= 51; i++) {
            engine.sweep();
        }
        return first;
    }

    @Test
    void request_whileTheApplicationIsBlocked_takesNoLock_andAttemptsWhenItIsNot() {
        CompletableFuture<Lease> first = blockApplications();
        CompletableFuture<Lease> future = ask(engine, "a");
        fixture.time.passMillis(900);
        engine.renew();
        engine.sweep();
        assertThat(attemptsFor("a")).isZero();
        noThreads = false;
        engine.sweep();
        runApplications();
        assertThat(first).isCompleted();
        fixture.time.passMillis(600);
        engine.sweep();
        engine.sweep();
        runApplications();
        assertThat(future).isCompleted();
    }

    @Test
    void request_whileTheApplicationStaysBlocked_failsAtTheEndOfItsWait() {
        blockApplications();
        CompletableFuture<Lease> future = ask(engine, "a");
        fixture.time.passMillis(4_999);
        engine.sweep();
        assertThat(EngineBridge.remembered(engine)).isPositive();
        fixture.time.passMillis(1);
        engine.sweep();
        assertThat(attemptsFor("a")).isZero();
        noThreads = false;
        engine.sweep();
        assertFailsWith(future, "lock 'a'");
    }

    @Test
    void lease_whoseResultCannotBeRecorded_isReleased() {
        Recorder failing = new Recorder() {
            @Override
            public Recorder.Acquiring acquiring() {
                return (request, result, token) -> {
                    throw new UnsupportedOperationException("on purpose");
                };
            }
        };
        LockEngine recorded = engine(failing);
        assertFailsWith(ask(recorded, "a"), "on purpose");
        assertThat(releases()).isEqualTo(3);
        assertThat(EngineBridge.remembered(recorded)).isZero();
    }
}
