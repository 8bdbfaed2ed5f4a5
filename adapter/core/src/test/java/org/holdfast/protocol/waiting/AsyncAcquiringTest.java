// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.holdfast.Lease;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;

class AsyncAcquiringTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final Queue<Runnable> borrowed = new ArrayDeque<>();
    private Throwable noThread;

    private final LockEngine engine = fixture.engine(this::execute);

    private void execute(Runnable task) {
        if (noThread instanceof Error error) {
            throw error;
        } else if (noThread instanceof RuntimeException exception) {
            throw exception;
        }
        borrowed.add(task);
    }

    private void runBorrowed() {
        Runnable next;
        while ((next = borrowed.poll()) != null) {
            next.run();
        }
    }

    private CompletableFuture<Lease> ask() {
        return ask(fixture.request(5_000));
    }

    private CompletableFuture<Lease> ask(LockRequest request) {
        return fixture.session(engine, Transactions.NONE).acquireAsync(request.detached());
    }

    @Test
    void threadThatIsNotToBeHad_isAskedForAgain() {
        for (Throwable reason : List.of(
                new OutOfMemoryError("unable to create native thread"), new IllegalStateException("stopping"))) {
            noThread = reason;
            CompletableFuture<Lease> future = ask();
            fixture.time.passMillis(20);
            engine.sweep();
            noThread = null;
            fixture.time.passMillis(20);
            engine.sweep();
            runBorrowed();
            assertThat(future).isCompleted();
            future.join().release();
        }
    }

    /** As without memory. */
    @Test
    void request_forWhichNoThreadCanEvenBeAskedForLater_isLookedAtByTheNextSweep() {
        noThread = new OutOfMemoryError("on purpose");
        boolean[] fails = {true};
        fixture.whenDue = nanos -> {
            if (fails[0]) {
                fails[0] = false;
                throw new OutOfMemoryError("on purpose");
            }
        };
        CompletableFuture<Lease> future = ask();
        noThread = null;
        engine.sweep();
        runBorrowed();
        assertThat(future).isCompleted();
        future.join().release();
    }

    /** An attempt may take as long as nodes do. */
    @Test
    void request_isAttemptedOnABorrowedThread() {
        CompletableFuture<Lease> future = ask();
        assertThat(fixture.service.sent).isEmpty();
        assertThat(borrowed).hasSize(1);
        runBorrowed();
        assertThat(future).isCompleted();
    }

    @Test
    void serviceThatIsStoppedMeanwhile_failsTheRequest() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(5_000));
        }
        CompletableFuture<Lease> future = ask();
        runBorrowed();
        assertThat(future).isNotDone();
        engine.close(fixture.time.nanoTime() + 1_000_000_000L);
        assertThat(engine.waiters()).isZero();
        runBorrowed();
        assertThat(future).isCompletedExceptionally();
    }

    @Test
    void whoIsFirst_isAskedNothingUntilItsTimeHasCome() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(5_000));
        }
        CompletableFuture<Lease> future = ask();
        runBorrowed();
        int attempts = fixture.service.sent(Command.Acquire.class).size();
        fixture.time.passMillis(1);
        engine.sweep();
        runBorrowed();
        assertThat(fixture.service.sent(Command.Acquire.class)).hasSize(attempts);

        fixture.time.passMillis(5_000);
        engine.sweep();
        runBorrowed();
        assertThat(future).isCompletedExceptionally();
        assertThat(EngineBridge.remembered(engine)).isZero();
    }

    /** All come, and give up, at the same time: the first that asks does so for all. */
    @Test
    void requestsOfOneLine_thatGiveUp_doNotEachAsk() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(60_000));
        }
        List<CompletableFuture<Lease>> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            all.add(ask());
        }
        runBorrowed();
        int attempts = fixture.service.sent(Command.Acquire.class).size();
        for (int node = 0; node < 2; node++) {
            fixture.service.node(node, new Reply.NoAnswer("it hangs"));
        }
        fixture.time.passMillis(5_000);
        engine.sweep();
        runBorrowed();
        assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(fixture.service.sent(Command.Acquire.class).size() - attempts)
                .isLessThanOrEqualTo(10 * 3);
    }

    @Test
    void ticketThatIsTooLate_isDrawnAgainAtOnce() {
        long taken = fixture.time.epochMicros() + 1_000_000;
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, command -> replyInTurn(command, taken));
        }
        CompletableFuture<Lease> future = ask(fixture.request(5_000).fair(true));
        runBorrowed();
        assertThat(future).isCompleted();
        assertThat(fixture.service.sent(Command.Acquire.class))
                .as("without a ticket, one that is too late, one that is not, and for the lock")
                .hasSizeLessThanOrEqualTo(4 * 3);
        assertThat(EngineBridge.tickets(engine)).isZero();
    }

    private static Reply replyInTurn(Command command, long taken) {
        if (!(command instanceof Command.Acquire acquire)) {
            return ScriptedNodes.agree(command);
        }
        long number =
                acquire.queueing().orElseThrow().ticket().map(Ticket::number).orElse(0L);
        if (number == 0) {
            return new Reply.Queued(900);
        }
        return number <= taken ? new Reply.TicketTooSmall(taken) : new Reply.Granted();
    }
}
