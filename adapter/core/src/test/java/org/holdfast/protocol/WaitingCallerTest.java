// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/** How often a caller that waits for a lock asks the nodes, and what ends its wait. */
class WaitingCallerTest extends EngineOnThreeNodes {

    @Test
    void acquire_heldByAnother_endsExactlyWithTheWaitTimeout() throws Exception {
        everyNode(new Reply.Held(5_000));
        long before = time.nanoTime();

        assertThat(acquire(300)).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(MILLISECONDS.convert(time.nanoTime() - before, NANOSECONDS)).isBetween(300L, 301L);
    }

    @Test
    void acquire_whileContended_pausesLongerAndLonger() throws Exception {
        everyNode(new Reply.Held(5_000));
        acquire(1_000);
        assertThat(attempts()).isBetween(15, 25); // pauses of 4, 8, 15, 30, then 60 ms
    }

    @Test
    void acquire_withoutWaiting_asksOnce() throws Exception {
        everyNode(new Reply.Held(5_000));
        assertThat(acquire(0)).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(nodes.sent(Command.Acquire.class)).hasSize(3);
    }

    @Test
    void acquire_quorumMissingToTheEnd_tellsWhatEachNodeSaid() throws Exception {
        node(0, command -> new Reply.NotSent("refused"));
        node(1, command -> new Reply.NotSent("refused"));
        assertThat(acquire(200))
                .asInstanceOf(type(AcquireResult.Unavailable.class))
                .extracting(AcquireResult.Unavailable::failures)
                .isEqualTo(java.util.Map.of("node-0", "refused", "node-1", "refused"));
    }

    @Test
    void acquire_ofALockWhoseReleaseWillBeHeard_asksSeldom() throws Exception {
        everyNode(new Reply.Held(30_000));
        fixture.notifications.heard = true;
        acquire(5_000);
        assertThat(attempts()).isBetween(6, 15);
        assertThat(fixture.notifications.listening).isEmpty();
    }

    @Test
    void acquire_ofALockThatIsHeard_asksWhenItsHolderMayHaveExpired() throws Exception {
        everyNode(new Reply.Held(40));
        fixture.notifications.heard = true;
        long before = time.nanoTime();
        for (int node = 0; node < 2; node++) {
            node(
                    node,
                    command -> time.nanoTime() - before > MILLISECONDS.toNanos(41)
                            ? ScriptedNodes.agree(command)
                            : new Reply.Held(40));
        }
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(time.nanoTime() - before).isLessThan(MILLISECONDS.toNanos(100));
    }

    @Test
    void acquire_announcedBeforeTheWaitBegins_isNotMissed() throws Exception {
        fixture.notifications.heard = true;
        releasedDuringAttempt(1);
        long before = time.nanoTime();
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(time.nanoTime() - before).isLessThan(MILLISECONDS.toNanos(5));
    }

    @Test
    void acquire_announcedWhileItAsks_asksAgainAtOnce() throws Exception {
        fixture.notifications.heard = true;
        releasedDuringAttempt(6);
        acquire(5_000);
        assertThat(attempts()).isEqualTo(7);
        assertThat(time.nanoTime() - begun).isLessThan(MILLISECONDS.toNanos(3_200));
    }

    /** The holder releases just when it has refused that attempt. */
    private void releasedDuringAttempt(int attempt) {
        boolean[] released = new boolean[1];
        for (int node = 0; node < 3; node++) {
            node(node, command -> {
                if (released[0] || command instanceof Command.Release) {
                    return ScriptedNodes.agree(command);
                }
                if (attempts() == attempt) {
                    released[0] = true;
                    fixture.notifications.announce("a");
                }
                return new Reply.Held(30_000);
            });
        }
    }

    @Test
    void acquire_thatHasToWait_givesItsConnectionsBackOnceAndUsesThemNoMore() throws Exception {
        everyNode(new Reply.Held(5_000));
        NodesConnection connection = connection();
        assertThat(connection.tryAcquire(fixture.request(1_000))).isEmpty();
        assertThat(connection.waits).isOne();
        assertThat(nodes.sent(Command.Acquire.class)).hasSize(3);
        assertThat(attempts()).isGreaterThan(2);
    }

    @Test
    void acquire_thatDoesNotWait_keepsItsConnections() throws Exception {
        NodesConnection connection = connection();
        connection.acquire(fixture.request(1_000));
        assertThat(connection.waits).isZero();
    }

    /** After a split vote no release will be announced: a caller that stopped asking would leave the lock idle. */
    @Test
    void acquire_whenContendersHaveSplitTheVotes_goesOnAskingAtShortIntervals() throws Exception {
        fixture.notifications.heard = true;
        long free = begun + MILLISECONDS.toNanos(60);
        for (int node = 0; node < 3; node++) {
            node(node, command -> time.nanoTime() - free < 0 ? new Reply.Held(30_000) : ScriptedNodes.agree(command));
        }
        assertThat(acquire(5_000)).isInstanceOf(AcquireResult.Held.class);
        assertThat(MILLISECONDS.convert(time.nanoTime() - begun, NANOSECONDS)).isLessThan(250);
    }
}
