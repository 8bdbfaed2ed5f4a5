// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** In which order the waiters of one process ask the nodes for their places, and stand in its line. */
class FairLineTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    private Acquiring entered() {
        return entered(new AtomicInteger());
    }

    private Acquiring entered(AtomicInteger woken) {
        Acquiring waiter = fixture.acquirer.begin(
                fixture.request(10_000).fair(true), Holder.transaction("waiter-" + woken.hashCode()));
        waiter.enter(woken::incrementAndGet);
        return waiter;
    }

    /** Returns the numbers of the tickets with which the nodes were asked, in this order. */
    private List<Long> numbersAsked() {
        return fixture.service.sent(Command.Acquire.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> ((Command.Acquire) sent.command()).queueing().orElseThrow())
                .map(queueing -> queueing.ticket().orElseThrow().number())
                .toList();
    }

    /** Else its ticket might arrive first, and that of the other would have to go to the end of the line. */
    @Test
    void waiter_behindOneThatHasNotAsked_asksWhenThatOneHas() {
        fixture.everyNode(new Reply.Queued(900));
        AtomicInteger woken = new AtomicInteger();
        Acquiring first = entered();
        Acquiring second = entered(woken);
        second.step();
        assertThat(numbersAsked()).isEmpty();
        first.step();
        assertThat(woken.get()).isOne();
        second.step();
        assertThat(numbersAsked()).hasSize(2).isSorted();
        first.leave();
        second.leave();
    }

    @Test
    void waiter_behindOneThatLeavesWithoutAsking_isWokenAndAsks() {
        fixture.everyNode(new Reply.Queued(900));
        AtomicInteger woken = new AtomicInteger();
        Acquiring head = entered();
        head.step();
        Acquiring leaves = entered();
        Acquiring last = entered(woken);
        last.step();
        assertThat(numbersAsked()).hasSize(1);
        leaves.leave();
        assertThat(woken.get()).isOne();
        last.step();
        assertThat(numbersAsked()).hasSize(2);
        head.leave();
        last.leave();
    }

    /** Looks for so long whether the waiter before it asks. */
    private void looksTwice(Acquiring waiter) {
        for (int look = 0; look < 2; look++) {
            fixture.time.pass(fixture.timing.nodeTimeout().toNanos());
            waiter.step();
        }
    }

    /** The nodes have its ticket as the first one: were another the head here, neither would have the lock. */
    @Test
    void waiter_aheadOfOneThatDidNotAsk_isTheHeadAndGetsTheLock() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring slow = entered();
        Acquiring ahead = entered();
        looksTwice(ahead);
        slow.step();
        assertThat(numbersAsked()).hasSize(2).isSorted();
        fixture.everyNode(new Reply.Granted());
        fixture.time.passMillis(1_000);
        slow.step();
        assertThat(slow.result()).isNull();
        ahead.step();
        assertThat(ahead.result()).isInstanceOf(AcquireResult.Held.class);
        slow.leave();
        ahead.leave();
    }

    @Test
    void waiters_behindOneThatNeverAsks_waitForItOnceOnly() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring never = entered();
        Acquiring ahead = entered();
        looksTwice(ahead);
        Acquiring next = entered();
        next.step();
        assertThat(numbersAsked()).hasSize(2).isSorted();
        ahead.leave();
        next.leave();
        never.leave();
    }

    @Test
    void waiter_behindOneThatNeverAsks_goesAheadThoughOthersComeAndGiveUp() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring never = entered();
        Acquiring ahead = entered();
        for (int look = 0; look < 2; look++) {
            Acquiring other = entered();
            fixture.time.pass(fixture.timing.nodeTimeout().toNanos());
            other.leave();
            ahead.step();
        }
        assertThat(numbersAsked()).hasSize(1);
        ahead.leave();
        never.leave();
    }

    /** Those before it stood still, too. */
    @Test
    void waiter_afterAPauseOfTheProcess_asksBehindThoseThatCameBefore() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring first = entered();
        Acquiring second = entered();
        fixture.time.passMillis(5_000);
        second.step();
        assertThat(numbersAsked()).isEmpty();
        first.step();
        second.step();
        assertThat(numbersAsked()).hasSize(2).isSorted();
        first.leave();
        second.leave();
    }

    private void noNode() {
        fixture.everyNode(new Reply.NotSent("no connection"));
    }

    /** Else all that come after the outage would be served before it. */
    @Test
    void waiter_thatAskedInVain_asksAgainWhenTheOneBeforeItHasItsPlace() {
        noNode();
        Acquiring first = entered();
        AtomicInteger woken = new AtomicInteger();
        Acquiring second = entered(woken);
        first.step();
        second.step();
        fixture.everyNode(new Reply.Queued(900));
        fixture.service.sent.clear();
        fixture.time.passMillis(500);
        second.step();
        assertThat(numbersAsked()).isEmpty();
        woken.set(0);
        first.step();
        assertThat(woken.get()).isPositive();
        second.step();
        Acquiring later = entered();
        later.step();
        assertThat(numbersAsked()).hasSize(3).isSorted();
        first.leave();
        second.leave();
        later.leave();
    }

    /** Waiters of other processes get places meanwhile. */
    @Test
    void waiter_thatAskedInVainForALockOfThisProcess_asksAgainBeforeThatEnds() {
        Acquiring holder = fixture.acquirer.begin(fixture.request(0).fair(true), Holder.transaction("holder"));
        assertThat(holder.attempt(fixture.service)).isInstanceOf(AcquireResult.Held.class);
        noNode();
        Acquiring waiter = entered();
        waiter.step();
        fixture.everyNode(new Reply.Queued(900));
        fixture.service.sent.clear();
        fixture.time.passMillis(100);
        waiter.step();
        assertThat(numbersAsked()).hasSize(1);
        waiter.leave();
    }

    @Test
    void waiter_thatAskedInVain_keepsNoneOutThatHasItsPlace() {
        noNode();
        Acquiring unlucky = entered();
        unlucky.step();
        fixture.everyNode(new Reply.Queued(900));
        Acquiring second = entered();
        looksTwice(second);
        fixture.everyNode(new Reply.Granted());
        fixture.time.passMillis(1_000);
        second.step();
        assertThat(second.result()).isInstanceOf(AcquireResult.Held.class);
        second.leave();
        unlucky.leave();
    }
}
