// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;

/** What a caller claims: with which token, and which of several permits. */
class ClaimsTest {

    private static final int PERMITS = 5;

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    private AcquireResult acquire(LockRequest request) throws InterruptedException {
        return fixture.acquire(fixture.nodes, request, List.of(Holder.thread()));
    }

    private static HeldLock heldLock(AcquireResult done) {
        return ((AcquireResult.Held) done).heldLock();
    }

    private void everyNode(Reply reply) {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, reply);
        }
    }

    /** Else each request of this process would be refused until the right clock has come to that token. */
    @Test
    void token_drawnByAWrongClock_isForgottenWhenNodesRefuseIt() throws Exception {
        long right = fixture.time.epochMicros();
        long wrong = right + SECONDS.toMicros(400); // not so far that it would not be followed
        fixture.time.setEpochMicros(wrong);
        fixture.nodes.clocksOffBy(right - wrong);
        everyNode(new Reply.TokenSkewed(400_000));
        assertThat(acquire(fixture.request(0))).isInstanceOf(AcquireResult.ClockSkewed.class);

        fixture.time.setEpochMicros(right);
        fixture.nodes.clocksOffBy(0);
        everyNode(new Reply.Granted());
        HeldLock heldLock = heldLock(acquire(fixture.request(0)));
        assertThat(heldLock.token()).isBetween(right, right + SECONDS.toMicros(1));
        assertThat(heldLock.holderInfo().sinceMillis())
                .as("as operators see it")
                .isEqualTo(right / 1_000);
    }

    private LockRequest semaphore() {
        return LockRequest.semaphore("a", PERMITS)
                .waitTimeout(Duration.ZERO)
                .ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
    }

    private static int permit(Command command) {
        return ((Target.Permit) ((Command.Acquire) command).claim().target()).number();
    }

    /** Every node has that permit free alone, and says so. */
    private void onlyFree(int permit) {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.node(node, command -> {
                if (command instanceof Command.FindPermit) {
                    return new Reply.Free(permit);
                }
                return command instanceof Command.Acquire && permit(command) != permit
                        ? new Reply.Held(900)
                        : ScriptedNodes.agree(command);
            });
        }
    }

    private List<Integer> permitsAskedFor() {
        return fixture.nodes.sent(Command.Acquire.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> permit(sent.command()))
                .toList();
    }

    @Test
    void permit_thatIsHeld_isReplacedByOneThatNodesKnowToBeFree() throws Exception {
        onlyFree(4);
        assertThat(heldLock(acquire(semaphore())).claim().target()).isEqualTo(new Target.Permit("a", 4));
        assertThat(permitsAskedFor())
                .as("at random first: not all begin with the same")
                .containsExactly(2, 4);
    }

    @Test
    void permit_thatIsFree_costsOneRound() throws Exception {
        onlyFree(2);
        assertThat(acquire(semaphore())).isInstanceOf(AcquireResult.Held.class);
        assertThat(permitsAskedFor()).containsExactly(2);
        assertThat(fixture.nodes.sent(Command.FindPermit.class)).isEmpty();
    }

    /** There would be one holder more than the semaphore has permits. */
    @Test
    void permit_thatThereIsNot_isNotAskedFor() throws Exception {
        onlyFree(PERMITS);
        assertThat(acquire(semaphore())).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(permitsAskedFor()).containsExactly(2);
    }

    @Test
    void permit_whereNoneIsFree_isNotAskedForAgain() throws Exception {
        everyNode(new Reply.Held(900));
        assertThat(acquire(semaphore())).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(permitsAskedFor()).containsExactly(2);
        assertThat(fixture.nodes.sent(Command.FindPermit.class)).hasSize(3);
    }

    @Test
    void lock_thatIsHeld_isAskedForOnce() throws Exception {
        everyNode(new Reply.Held(900));
        assertThat(acquire(fixture.request(0))).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(fixture.nodes.sent(Command.FindPermit.class)).isEmpty();
        assertThat(fixture.nodes.sent(Command.Acquire.class)).hasSize(3);
    }
}
