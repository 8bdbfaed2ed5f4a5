// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Ticket;
import org.holdfast.protocol.quorum.TokenClock;
import org.junit.jupiter.api.Test;

class TicketsTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ScriptedNodes service = fixture.service;
    private final Tickets tickets = new Tickets(
            fixture.time,
            fixture.randomness,
            new TokenClock(fixture.time, fixture.timing.maxTokenLeadMicros()),
            service,
            fixture.timing,
            fixture.wakeUps::add);

    private Ticket ticket(String lock, long number) {
        return new Ticket(lock, new Owner(fixture.randomness.uniqueId()), number, false, true, 1_000);
    }

    private List<Ticket> refreshed() {
        return service.sent(Command.Refresh.class).stream()
                .filter(sent -> sent.node() == 0)
                .flatMap(sent -> ((Command.Refresh) sent.command()).tickets().stream())
                .toList();
    }

    @Test
    void tickets_areRefreshedAfterAThirdOfTheirTtl_thoseOfALineInOneCommand() {
        List<Ticket> kept = List.of(ticket("a", 1), ticket("a", 2), ticket("b", 3));
        kept.forEach(ticket -> tickets.keep(ticket, Long.MAX_VALUE));
        fixture.time.passMillis(332);
        tickets.sweep();
        assertThat(refreshed()).isEmpty();
        fixture.time.passMillis(2);
        tickets.sweep();
        tickets.sweep();
        assertThat(refreshed()).containsExactlyInAnyOrderElementsOf(kept);
        assertThat(service.sent(Command.Refresh.class)).hasSize(2 * 3);
    }

    private long reportedMillis() {
        long earliest = Collections.min(fixture.wakeUps);
        fixture.wakeUps.clear();
        return NANOSECONDS.toMillis(earliest);
    }

    /** Nothing sweeps before the moment that was reported, and each sweep forgets the moments of before. */
    @Test
    void ticket_isReportedWhenItIsKeptAndInEachSweep_untilItsOwnerGivesUp() {
        tickets.keep(ticket("a", 1), MILLISECONDS.toNanos(500));
        assertThat(reportedMillis()).isEqualTo(333);
        fixture.time.passMillis(200);
        tickets.sweep();
        assertThat(reportedMillis()).isEqualTo(133);
        fixture.time.passMillis(134);
        tickets.sweep();
        assertThat(reportedMillis()).isEqualTo(166); // its owner gives up before the next refresh
        fixture.time.passMillis(200);
        tickets.sweep();
        assertThat(fixture.wakeUps).isEmpty();
    }

    @Test
    void ticket_takenAwayWhileOthersAreRefreshed_isNotRefreshedBehindThat() {
        List<Ticket> kept = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            kept.add(ticket("lock-" + i, i));
            tickets.keep(kept.get(i), Long.MAX_VALUE);
        }
        List<Ticket> left = new ArrayList<>();
        service.node(0, command -> {
            if (command instanceof Command.Refresh && left.isEmpty()) {
                left.addAll(kept);
                left.removeAll(refreshed());
                left.forEach(ticket -> tickets.leave(ticket, false));
            }
            return new Reply.Noted();
        });
        fixture.time.passMillis(400);
        tickets.sweep();
        assertThat(left).hasSizeGreaterThan(200);
        assertThat(refreshed()).hasSizeLessThanOrEqualTo(100);
        assertThat(service.sent(Command.Refresh.class))
                .as("a command for no ticket")
                .noneMatch(sent -> ((Command.Refresh) sent.command()).tickets().isEmpty());
        assertThat(tickets.size()).isEqualTo(kept.size() - left.size());
    }

    /** What is not left keeps a place for answers that no caller waits for. */
    @Test
    void rounds_ofTicketsThatAreRefreshedAndTakenAway_areLeft() {
        Ticket ticket = ticket("a", 1);
        tickets.keep(ticket, Long.MAX_VALUE);
        fixture.time.passMillis(400);
        tickets.sweep();
        tickets.leave(ticket, false);
        assertThat(service.sent).hasSize(2 * 3);
        assertThat(service.roundsNotLeft()).isZero();
    }

    @Test
    void ticket_takenAwayOrRefreshedByOneThread_canBeTakenAwayByAnother() throws InterruptedException {
        List<Ticket> kept = List.of(ticket("a", 1), ticket("b", 2), ticket("c", 3));
        kept.forEach(ticket -> tickets.keep(ticket, Long.MAX_VALUE));
        tickets.leave(kept.get(0), false);
        leaveOnAnotherThread(kept.get(1));
        fixture.time.passMillis(400);
        tickets.sweep();
        assertThat(refreshed()).containsExactly(kept.get(2));
        leaveOnAnotherThread(kept.get(2));
        assertThat(service.sent(Command.Leave.class)).hasSize(3 * 3);
    }

    private void leaveOnAnotherThread(Ticket ticket) throws InterruptedException {
        Thread other = new Thread(() -> tickets.leave(ticket, false));
        other.setDaemon(true);
        other.start();
        other.join(5_000);
        assertThat(other.isAlive()).isFalse();
    }

    @Test
    void tickets_whoseOwnersWereHandedTheLock_areTakenAwayTogether_andNotRefreshed() {
        List<Ticket> owners = List.of(ticket("a", 1), ticket("a", 2), ticket("b", 3));
        owners.forEach(ticket -> tickets.keep(ticket, Long.MAX_VALUE));
        owners.forEach(tickets::leaveWithOthers);
        fixture.time.passMillis(400);
        assertThat(service.sent).isEmpty();
        assertThat(tickets.size()).isEqualTo(3);
        tickets.leaveHandedOff();
        assertThat(service.sent(Command.Leave.class).stream()
                        .filter(sent -> sent.node() == 0)
                        .map(sent -> ((Command.Leave) sent.command()).ticket()))
                .containsExactlyElementsOf(owners);
        assertThat(service.roundsNotLeft()).isZero();
        tickets.sweep();
        tickets.leaveHandedOff();
        assertThat(service.sent).hasSize(3 * 3);
        assertThat(tickets.size()).isZero();
    }

    @Test
    void ticket_whoseOwnerWasHandedTheLock_andKeepsIt_isTakenAwayByTheSweepAfterAMoment() {
        tickets.leaveWithOthers(ticket("a", 1));
        assertThat(reportedMillis()).isEqualTo(100);
        tickets.sweep();
        assertThat(service.sent(Command.Leave.class)).hasSize(3);
    }

    @Test
    void tickets_ofOwnersThatWereHandedTheLock_areTakenAwayBeforeThatOfALaterOwner() {
        Ticket handed = ticket("a", 1);
        tickets.leaveWithOthers(handed);
        tickets.leave(ticket("b", 2), true);
        assertThat(service.sent(Command.Leave.class)).hasSize(3);
        Ticket later = ticket("a", 3);
        tickets.leave(later, true);
        assertThat(service.sent(Command.Leave.class).stream()
                        .filter(sent -> sent.node() == 0)
                        .map(sent -> ((Command.Leave) sent.command()).ticket())
                        .skip(1))
                .containsExactly(handed, later);
    }

    @Test
    void tickets_thatCannotBeTakenAwayTogether_areLeftToExpire() {
        service.node(0, command -> {
            throw new IllegalStateException("no selector");
        });
        tickets.leaveWithOthers(ticket("a", 1));
        tickets.leaveHandedOff();
        assertThat(tickets.size()).isZero();
    }

    /** Its connection may have been broken, and be open again. */
    @Test
    void node_thatWasNotReachedWithALeave_isToldAgainAfterAMoment_fiveTimes() {
        List<Reply> replies = new ArrayList<>(List.of(new Reply.NotSent("it is being connected to")));
        service.node(1, command -> replies.size() > 1 ? replies.remove(1) : replies.get(0));
        Ticket ticket = ticket("a", 1);
        tickets.leave(ticket, true);
        assertThat(reportedMillis()).isEqualTo(50);
        tickets.sweep();
        assertThat(service.sent(Command.Leave.class)).hasSize(3);
        for (int repeat = 0; repeat < 6; repeat++) {
            fixture.time.passMillis(50);
            tickets.sweep();
        }
        assertThat(service.sent(Command.Leave.class).subList(3, 8))
                .hasSize(5)
                .allMatch(sent -> sent.node() == 1 && sent.command().equals(new Command.Leave(ticket, true)));
        assertThat(service.sent(Command.Leave.class)).hasSize(8);
        assertThat(tickets.size()).isZero();
    }

    @Test
    void node_thatWasNotReachedWithALeave_andIsThenReached_isToldNoMore() {
        List<Reply> replies = new ArrayList<>(List.of(new Reply.Noted(), new Reply.NoAnswer("it was closed")));
        service.node(1, command -> replies.remove(replies.size() - 1));
        tickets.leave(ticket("a", 1), false);
        assertThat(tickets.size()).isOne();
        fixture.time.passMillis(50);
        tickets.sweep();
        fixture.time.passMillis(500);
        tickets.sweep();
        assertThat(service.sent(Command.Leave.class)).hasSize(4);
        assertThat(tickets.size()).isZero();
    }

    @Test
    void ticket_thatCannotBeTakenAway_isLeftToExpire() {
        Ticket ticket = ticket("a", 1);
        tickets.keep(ticket, Long.MAX_VALUE);
        service.node(0, command -> {
            throw new IllegalStateException("no selector");
        });
        tickets.leave(ticket, true);
        fixture.time.passMillis(400);
        tickets.sweep();
        assertThat(refreshed()).isEmpty();
        assertThat(tickets.size()).isZero();
    }
}
