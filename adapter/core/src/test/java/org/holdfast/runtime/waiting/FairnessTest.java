// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.waiting;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.Processes;
import org.holdfast.runtime.RuntimeBridge;
import org.holdfast.runtime.SystemTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;

@Timeout(60)
class FairnessTest {

    private static final LockRequest FAIR = LockRequest.of("a").fair(true);

    /** A machine that stands still for a second is not a process that died. */
    private static final Map<String, String> SETTINGS = Map.of("ticketTtlMillis", "3000");

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 3, SETTINGS);
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    @Test
    void waiters_ofSeveralProcesses_areServedInTheOrderInWhichTheyCame() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        List<FutureTask<Lease>> waiters = new ArrayList<>();
        for (int process : new int[] {2, 0, 1, 1, 0, 2, 2, 1, 0}) {
            waiters.add(processes.acquire(process, FAIR));
            processes.awaitTickets("a", waiters.size());
        }
        for (int next = 0; next < waiters.size(); next++) {
            lease.release();
            long before = lease.token();
            lease = waiters.get(next).get(10, SECONDS);
            assertThat(lease.token()).isGreaterThan(before);
            assertThat(waiters.subList(next + 1, waiters.size())).noneMatch(FutureTask::isDone);
        }
        lease.release();
        processes.awaitTickets("a", 0);
    }

    /** A lock that was taken 100 ms ago is not handed off: on a machine that stands still the story is told again. */
    @Test
    void waiters_ofOneProcessOneAfterTheOther_areHandedTheLockWithoutTheNodes() throws Exception {
        List<Boolean> expected = List.of(false, true, false, false, true, true);
        List<Boolean> handedOff = handedOff();
        for (int again = 0; again < 5 && !handedOff.equals(expected); again++) {
            handedOff = handedOff();
        }
        assertThat(handedOff).isEqualTo(expected);
        processes.awaitTickets("a", 0);
    }

    /** The next token shows that no node was asked. */
    private List<Boolean> handedOff() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        List<FutureTask<Lease>> waiters = new ArrayList<>();
        for (int process : new int[] {1, 1, 0, 1, 1, 1}) {
            waiters.add(processes.acquire(process, FAIR));
            processes.awaitTickets("a", waiters.size());
        }
        List<Boolean> handedOff = new ArrayList<>();
        for (FutureTask<Lease> waiter : waiters) {
            long before = lease.token();
            lease.release();
            lease = waiter.get(10, SECONDS);
            handedOff.add(lease.token() == before + 1);
        }
        lease.release();
        return handedOff;
    }

    @Test
    void lockTakenInTurn_callerThatWaitsOutOfTurn_getsItFromTheNodes() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        FutureTask<Lease> outOfTurn = processes.acquire(0, LockRequest.of("a"));
        processes.awaitListening("a");
        lease.release();
        Lease next = outOfTurn.get(10, SECONDS);
        assertThat(next.token()).isGreaterThan(lease.token() + 1);
        next.release();
    }

    @Test
    void request_thatDoesNotWait_doesNotOvertake() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        leaveTicketOfADeadProcess(5_000);
        lease.release();
        assertThat(processes.isFree(1, FAIR)).isFalse();
        assertThat(processes.isFree(1, LockRequest.of("a"))).as("not fair").isTrue();
        await().atMost(ofSeconds(20)).until(() -> processes.isFree(1, FAIR));
    }

    @Test
    void waiter_thatDied_delaysTheOthersUntilItsTicketExpires() throws Exception {
        long before = System.nanoTime();
        leaveTicketOfADeadProcess(1_000);
        FutureTask<Lease> next = processes.acquire(1, FAIR);
        next.get(10, SECONDS).release();
        long waited = (System.nanoTime() - before) / 1_000_000;
        assertThat(waited).as("until a quorum has forgotten it").isGreaterThan(990);
    }

    /** What is left of a process that was killed while it waited. */
    private void leaveTicketOfADeadProcess(long millis) {
        for (int node = 0; node < 3; node++) {
            processes.ask(node, (Jedis jedis) -> {
                long now = Long.parseLong(jedis.time().get(0)) * 1_000
                        + Long.parseLong(jedis.time().get(1)) / 1_000;
                jedis.zadd("holdfast:{a}:queue", 1, "dead");
                jedis.zadd("holdfast:{a}:tickets", now + millis, "dead");
                jedis.pexpire("holdfast:{a}:queue", millis);
                return jedis.pexpire("holdfast:{a}:tickets", millis);
            });
        }
    }

    @Test
    void waiter_thatIsAlive_keepsItsPlaceLongerThanATicketLasts() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        FutureTask<Lease> first = processes.acquire(1, FAIR);
        processes.awaitTickets("a", 1);
        FutureTask<Lease> second = processes.acquire(2, FAIR);
        await().pollDelay(ofSeconds(4)).until(() -> true);
        processes.awaitTickets("a", 2);
        lease.release();
        first.get(10, SECONDS).release();
        second.get(10, SECONDS).release();
    }

    @Test
    void waiter_thatIsInterrupted_leavesNoTicket() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        Thread[] waiting = new Thread[1];
        FutureTask<Lease> interrupted =
                new FutureTask<>(() -> processes.connection(1).acquire(FAIR));
        waiting[0] = new Thread(interrupted);
        waiting[0].start();
        processes.awaitTickets("a", 1);
        FutureTask<Lease> next = processes.acquire(2, FAIR);
        processes.awaitTickets("a", 2);
        waiting[0].interrupt();
        processes.awaitTickets("a", 1);
        lease.release();
        assertThat(next.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void waiter_withASlowClock_doesNotOvertake() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        FutureTask<Lease> first = processes.acquire(1, FAIR);
        processes.awaitTickets("a", 1);
        try (LockConnectionFactory slow = RuntimeBridge.connect(processes.settings, slowBy(60_000_000));
                LockConnection connection = slow.getConnection()) {
            FutureTask<Lease> second = Processes.start(
                    () -> connection.acquire(FAIR.waitTimeout(ofSeconds(30)).detached()));
            processes.awaitTickets("a", 2);
            lease.release();
            Lease got = first.get(10, SECONDS);
            assertThat(second).isNotDone();
            got.release();
            assertThat(second.get(10, SECONDS).token()).isGreaterThan(got.token());
        }
    }

    private static Time slowBy(long micros) {
        SystemTime system = new SystemTime();
        return new Time() {
            @Override
            public long nanoTime() {
                return system.nanoTime();
            }

            @Override
            public long epochMicros() {
                return system.epochMicros() - micros;
            }

            @Override
            public Signal newSignal() {
                return system.newSignal();
            }
        };
    }

    @Test
    void waiter_whoseTimeIsOver_leavesNoTicket() throws Exception {
        Lease lease = processes.tryAcquire(0, FAIR).orElseThrow();
        assertThat(Processes.onAnotherThread(() -> processes.connection(1).tryAcquire(FAIR.waitTimeout(ofMillis(300)))))
                .isEmpty();
        processes.awaitTickets("a", 0);
        lease.release();
        await().until(() -> processes.isFree(2, FAIR));
    }

    /** {@code lock()} knows no interrupts: one must not send its thread to the end of the line. */
    @Test
    void lock_thatIsInterrupted_keepsItsPlace() throws Exception {
        LockRequest write = LockRequest.of("a").mode(LockMode.WRITE);
        Lease lease = processes.tryAcquire(0, write).orElseThrow();
        Lock writeLock = processes.connection(1).readWriteLock("a").writeLock();
        FutureTask<Boolean> first = new FutureTask<>(() -> {
            writeLock.lock();
            boolean interrupted = Thread.currentThread().isInterrupted();
            writeLock.unlock();
            return interrupted;
        });
        Thread waiting = new Thread(first, "is interrupted");
        waiting.start();
        processes.awaitTickets("a", 1);
        List<String> ticket = processes.ask(0, jedis -> jedis.zrange("holdfast:{a}:tickets", 0, -1));
        FutureTask<Lease> second = processes.acquire(2, write);
        processes.awaitTickets("a", 2);
        for (int i = 0; i < 5; i++) {
            waiting.interrupt();
            await().pollDelay(ofMillis(20)).until(() -> true);
        }
        List<String> tickets = processes.ask(0, jedis -> jedis.zrange("holdfast:{a}:tickets", 0, -1));
        assertThat(tickets).containsAll(ticket);
        assertThat(second).isNotDone();
        lease.release();
        assertThat(first.get(10, SECONDS)).as("the interrupt is kept").isTrue();
        second.get(10, SECONDS).release();
    }
}
