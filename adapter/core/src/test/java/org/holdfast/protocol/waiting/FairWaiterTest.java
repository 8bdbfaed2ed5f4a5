// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.EngineBridge;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.lease.LeaseShare;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Ticket;
import org.junit.jupiter.api.Test;

/** What becomes of the ticket of a caller that leaves a line whose order the nodes know. */
class FairWaiterTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    private Acquiring waiterInLine() {
        return waiterInLine(fixture.request(10_000).fair(true));
    }

    private Acquiring waiterInLine(LockRequest request) {
        Acquiring waiter = fixture.acquirer.begin(request, Holder.transaction("waiter"));
        waiter.enter(() -> {});
        waiter.step();
        return waiter;
    }

    /** Returns of each command that took a ticket away whether it notifies the waiters behind it. */
    private List<Boolean> announced() {
        return fixture.service.sent(Command.Leave.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> ((Command.Leave) sent.command()).announced())
                .toList();
    }

    @Test
    void ticket_ofAWaiterThatGivesUp_isTakenAwayAndThatIsAnnounced() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring waiter = waiterInLine();
        assertThat(fixture.engine.placedWaiters()).isOne();
        fixture.time.passMillis(10_000);
        waiter.step();
        waiter.leave();
        assertThat(waiter.result()).isInstanceOf(AcquireResult.TimedOut.class);
        assertThat(announced()).containsExactly(true);
    }

    /** The waiters behind it have to wait until it releases the lock. */
    @Test
    void ticket_ofAWaiterThatGotTheLock_isTakenAwayInSilence() {
        fixture.everyNode(new Reply.Queued(900));
        Acquiring waiter = waiterInLine();
        fixture.everyNode(new Reply.Granted());
        fixture.time.passMillis(1_000);
        waiter.step();
        waiter.leave();
        assertThat(waiter.result()).isInstanceOf(AcquireResult.Held.class);
        assertThat(announced()).containsExactly(false);
    }

    private HeldLock heldBy(Acquiring waiter) {
        waiter.step();
        waiter.leave();
        return ((AcquireResult.Held) waiter.result()).heldLock();
    }

    private void giveBack(HeldLock heldLock) {
        fixture.leases.giveBack(List.of(LeaseShare.of(heldLock, false)));
    }

    private List<Ticket> ticketsDrawn() {
        return fixture.service.sent(Command.Acquire.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> ((Command.Acquire) sent.command()).queueing().orElseThrow())
                .map(queueing -> queueing.ticket().orElseThrow())
                .toList();
    }

    /** Two waiters are handed the lock of a third one; returns the lock that the last of them has. */
    private HeldLock twiceHandedOff(Duration ttl, List<Ticket> handed) {
        LockRequest request = fixture.request(10_000).ttl(ttl).fair(true);
        fixture.everyNode(new Reply.Queued(900));
        List<Acquiring> waiters = List.of(waiterInLine(request), waiterInLine(request), waiterInLine(request));
        ticketsDrawn().stream().skip(1).map(Ticket::accepted).forEach(handed::add);
        fixture.everyNode(new Reply.Granted(handed.stream().map(Ticket::number).toList()));
        fixture.time.passMillis(1_000);
        HeldLock first = heldBy(waiters.get(0));
        fixture.service.sent.clear();
        giveBack(first);
        giveBack(heldBy(waiters.get(1)));
        HeldLock last = heldBy(waiters.get(2));
        assertThat(last.token()).isEqualTo(first.token() + 2);
        return last;
    }

    private List<Command> sentToTheFirstNode() {
        return fixture.service.sent.stream()
                .filter(each -> each.node() == 0)
                .map(ScriptedNodes.Sent::command)
                .toList();
    }

    /** A node that received the release first would keep others out for the tickets. */
    @Test
    void tickets_ofWaitersThatWereHandedTheLock_areTakenAwayTogether_rightBeforeItsRelease() {
        List<Ticket> handed = new ArrayList<>();
        HeldLock last = twiceHandedOff(Duration.ofSeconds(10), handed);
        assertThat(sentToTheFirstNode()).isEmpty();
        giveBack(last);
        List<Command> sent = sentToTheFirstNode();
        assertThat(sent.subList(0, 2))
                .containsExactly(new Command.Leave(handed.get(0), false), new Command.Leave(handed.get(1), false));
        assertThat(sent.get(2)).isInstanceOf(Command.Release.class);
        assertThat(sent).hasSize(3);
        assertThat(EngineBridge.remembered(fixture.engine)).isZero();
    }

    /** If the process died before, they would keep others out for longer than the lock does. */
    @Test
    void tickets_ofWaitersThatWereHandedALockWhichEndsBeforeTheTickets_areTakenAwayAtOnce() {
        List<Ticket> handed = new ArrayList<>();
        HeldLock last = twiceHandedOff(fixture.timing.ticketTtl(), handed);
        assertThat(sentToTheFirstNode())
                .containsExactly(new Command.Leave(handed.get(0), false), new Command.Leave(handed.get(1), false));
        giveBack(last);
        assertThat(sentToTheFirstNode()).hasSize(3);
    }

    /** It had no place at the nodes, so no waiter stood behind it. */
    @Test
    void ticket_thatIsOvertaken_isTakenAwayInSilence() {
        fixture.everyNode(new Reply.TicketTooSmall(fixture.time.epochMicros() + 1_000_000));
        Acquiring waiter = waiterInLine();
        assertThat(announced()).containsExactly(false);
        waiter.leave();
    }

    /** Returns of each attempt whether it came with a ticket. */
    private List<Boolean> ticketsShown() {
        return fixture.service.sent(Command.Acquire.class).stream()
                .filter(sent -> sent.node() == 0)
                .map(sent -> ((Command.Acquire) sent.command())
                        .queueing()
                        .flatMap(Command.Queueing::ticket)
                        .isPresent())
                .toList();
    }

    private void comesAndLeaves(LockRequest request) {
        Acquiring caller = fixture.acquirer.begin(request, Holder.transaction("caller"));
        assertThat(caller.attempt(fixture.service)).isNull();
        caller.enter(() -> {});
        caller.step();
        caller.leave();
    }

    /** Takes the lock and releases it, for which other processes listen or not. */
    private void hasTheLock(int listeners) {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(
                    node,
                    command -> command instanceof Command.Release
                            ? new Reply.Released(listeners)
                            : ScriptedNodes.agree(command));
        }
        Acquiring holder = fixture.acquirer.begin(fixture.request(0).fair(true), Holder.transaction("holder"));
        AcquireResult.Held held = (AcquireResult.Held) holder.attempt(fixture.service);
        fixture.leases.giveBack(List.of(LeaseShare.of(held.heldLock(), false)));
        fixture.service.sent.clear();
        fixture.everyNode(new Reply.Queued(900));
    }

    /** A first attempt without a ticket is in vain where others stand in line. */
    @Test
    void caller_ofALockForWhoseReleaseOthersListened_comesWithATicketAtOnce() {
        hasTheLock(1);
        comesAndLeaves(fixture.request(10_000).fair(true));
        assertThat(ticketsShown()).containsExactly(true);
        comesAndLeaves(fixture.request(10_000).mode(LockMode.WRITE));
        assertThat(ticketsShown()).containsExactly(true, true);
    }

    /** It would have to take its ticket away again, each time. */
    @Test
    void caller_thatIsAlone_triesWithoutATicketFirst() {
        hasTheLock(0);
        comesAndLeaves(fixture.request(10_000).fair(true));
        assertThat(ticketsShown()).containsExactly(false, true);
    }

    @Test
    void caller_ofALockForWhichOthersListenedLongAgo_triesWithoutATicketFirst() {
        hasTheLock(1);
        fixture.time.passMillis(1_100);
        comesAndLeaves(fixture.request(10_000).fair(true));
        assertThat(ticketsShown()).containsExactly(false, true);
    }

    @Test
    void reader_ofALockForWhoseReleaseOthersListened_triesWithoutATicketFirst() {
        hasTheLock(1);
        comesAndLeaves(fixture.request(10_000).mode(LockMode.READ));
        assertThat(ticketsShown()).containsExactly(false, true);
    }
}
