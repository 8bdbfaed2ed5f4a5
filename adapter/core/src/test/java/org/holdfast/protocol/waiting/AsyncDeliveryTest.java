// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
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
        assertThat(EngineBridge.remembered(engine))
                .as("the lock, the request, what hands the lease out, and until when")
                .isEqualTo(4);
        runApplications();
        assertThat(future).isCompleted();
        assertThat(EngineBridge.remembered(engine)).as("the lock").isOne();
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

    /** Just before it is in the list of the requests that a stop fails. */
    @Test
    void request_thatComesWhileTheServiceStops_fails() {
        LockEngine[] stopping = new LockEngine[1];
        stopping[0] = engine(new Recorder() {
            @Override
            public Recorder.Acquiring acquiring() {
                stopping[0].stopWaiting();
                return (request, result, token) -> {};
            }
        });
        assertFailsWith(ask(stopping[0], "a"), "HF0224:");
        assertThat(fixture.service.sent).isEmpty();
        assertThat(EngineBridge.remembered(stopping[0])).isZero();
    }

    private void everyNodeHoldsOnly(String name) {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(
                    node,
                    command -> command instanceof Command.Acquire acquire
                                    && acquire.claim().target().name().equals(name)
                            ? new Reply.Held(30_000)
                            : ScriptedNodes.agree(command));
        }
    }

    @Test
    void failure_endsWaitsAtOnce_andIsToldToContinuationsOnAThreadOfTheApplication() {
        everyNodeHoldsOnly("a");
        CompletableFuture<Lease> future = ask(engine, "a");
        List<Throwable> told = new ArrayList<>();
        future.whenComplete((lease, failure) -> told.add(failure));
        fixture.time.passMillis(5_000);
        engine.sweep();
        assertThat(future).isCompletedExceptionally();
        assertThat(told).isEmpty();
        runApplications();
        assertThat(told).singleElement().isInstanceOf(LockTimeoutException.class);
    }

    /** The wake comes during the last step, and is handled when the lease waits to be handed out. */
    @Test
    void lease_grantedWhileItsWaiterIsWoken_isHandedOut() {
        fixture.time.passMillis(2_000);
        everyNodeHoldsOnly("a");
        CompletableFuture<Lease> future = ask(engine, "a");
        int before = releases(); // the first attempt was undone
        fixture.service.node(0, command -> {
            if (command instanceof Command.Acquire) {
                fixture.notifications.announce("a");
            }
            return ScriptedNodes.agree(command);
        });
        fixture.service.node(1, ScriptedNodes::agree);
        fixture.notifications.announce("a");
        runApplications();
        assertThat(future).isCompletedWithValueMatching(Lease::isHeld);
        assertThat(releases()).isEqualTo(before);
    }

    @Test
    void lock_ofWhichNoLeaseCanBeMade_isReleased() {
        LockRequest request =
                LockRequest.of("a").ttl(TTL).waitTimeout(Duration.ofSeconds(5)).detached();
        CompletableFuture<Lease> future = EngineBridge.acquirer(engine).acquireAsync(request, heldLock -> {
            throw new UnsupportedOperationException("on purpose");
        });
        assertFailsWith(future, "on purpose");
        assertThat(releases()).isEqualTo(3);
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
    void request_whileTheApplicationIsBlocked_failsWhenTheServiceStops() {
        blockApplications();
        CompletableFuture<Lease> future = ask(engine, "a");
        assertThat(future).isNotDone();
        engine.stopWaiting();
        assertThat(future).isCompletedExceptionally();
    }

    /** It would keep those behind it waiting, for a lock that it does not take. */
    @Test
    void waiter_whoseApplicationGetsBlocked_leavesTheLine() {
        everyNodeHoldsOnly("a");
        CompletableFuture<Lease> future = ask(engine, "a");
        assertThat(engine.waiters()).isOne();
        blockApplications();
        fixture.time.passMillis(100);
        engine.sweep();
        assertThat(engine.waiters()).isZero();
        assertThat(future).isNotDone();
        fixture.time.passMillis(5_000);
        engine.sweep();
        assertThat(future).isCompletedExceptionally();
        assertThat(fixture.notifications.listening).isEmpty();
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
