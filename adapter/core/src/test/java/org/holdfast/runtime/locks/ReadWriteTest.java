// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.locks;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.holdfast.Lease;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;

@Timeout(60)
class ReadWriteTest {

    private static final LockRequest READ = LockRequest.of("a").mode(LockMode.READ);
    private static final LockRequest WRITE = LockRequest.of("a").mode(LockMode.WRITE);
    private static final LockRequest EXCLUSIVE = LockRequest.of("a");

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 3, Map.of());
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private Lease take(int process, LockRequest request) throws Exception {
        return processes.acquire(process, request).get(40, SECONDS);
    }

    @Test
    void readers_ofSeveralProcesses_readAtOnceAndKeepOthersOut() throws Exception {
        Lease one = take(0, READ);
        Lease other = take(1, READ);
        assertThat(one.isHeld() && other.isHeld()).isTrue();
        assertThat(processes.isFree(2, WRITE)).isFalse();
        assertThat(processes.isFree(2, EXCLUSIVE)).isFalse();
        assertThat(processes.isFree(2, READ)).isTrue();

        one.release();
        assertThat(processes.isFree(2, WRITE)).as("one reader is left").isFalse();
        other.release();
        await().until(() -> processes.isFree(2, WRITE));
    }

    @Test
    void writer_keepsReadersAndWritersOut() throws Exception {
        Lease writer = take(0, WRITE);
        assertThat(processes.isFree(1, READ)).isFalse();
        assertThat(processes.isFree(0, READ)).as("in the same process").isFalse();
        assertThat(processes.isFree(1, WRITE)).isFalse();
        assertThat(processes.isFree(1, EXCLUSIVE)).isFalse();
        writer.release();
        await().until(() -> processes.isFree(1, READ));
    }

    @Test
    void exclusive_andReader_keepEachOtherOut() throws Exception {
        Lease exclusive = take(0, EXCLUSIVE);
        assertThat(processes.isFree(1, READ)).isFalse();
        exclusive.release();
        Lease reader = take(1, READ);
        assertThat(processes.isFree(0, EXCLUSIVE)).isFalse();
        reader.release();
        await().until(() -> processes.isFree(0, EXCLUSIVE));
    }

    @Test
    void tokens_ofReaders_areBetweenThoseOfTheWritersBeforeAndAfter() throws Exception {
        Lease before = take(0, WRITE);
        before.release();
        Lease one = take(1, READ);
        Lease other = take(2, READ);
        one.release();
        other.release();
        Lease after = take(0, EXCLUSIVE);
        assertThat(one.token()).isGreaterThan(before.token()).isLessThan(after.token());
        assertThat(other.token()).isGreaterThan(before.token()).isLessThan(after.token());
    }

    @Test
    void writer_thatWaits_isServedBeforeReadersThatCameLater() throws Exception {
        Lease reader = take(0, READ);
        FutureTask<Lease> writer = processes.acquire(1, WRITE);
        processes.awaitTickets("a", 1);
        assertThat(processes.isFree(2, READ)).as("would overtake the writer").isFalse();
        FutureTask<Lease> late = processes.acquire(2, READ);
        processes.awaitTickets("a", 2);

        reader.release();
        Lease writing = writer.get(10, SECONDS);
        assertThat(late).isNotDone();
        writing.release();
        assertThat(late.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void readers_thatWait_getInTogetherBeforeWritersThatCameLater() throws Exception {
        Lease first = take(0, WRITE);
        FutureTask<Lease> oneReader = processes.acquire(1, READ);
        processes.awaitTickets("a", 1);
        FutureTask<Lease> otherReader = processes.acquire(2, READ);
        processes.awaitTickets("a", 2);
        FutureTask<Lease> writer = processes.acquire(1, WRITE);
        processes.awaitTickets("a", 3);

        first.release();
        Lease one = oneReader.get(10, SECONDS);
        Lease other = otherReader.get(10, SECONDS);
        assertThat(one.isHeld() && other.isHeld()).isTrue();
        assertThat(writer).isNotDone();
        one.release();
        other.release();
        assertThat(writer.get(10, SECONDS).isHeld()).isTrue();
    }

    @Test
    void reader_thatDied_blocksForItsOwnTtlOnly_andALiveOneIsRenewed() throws Exception {
        // it is neither renewed nor released
        Lease dead = take(0, READ.fixedTtl(ofMillis(600)));
        Lease alive = take(1, READ.ttl(ofSeconds(3)));
        Lease another = take(2, READ.ttl(ofSeconds(60)));
        await().until(() -> !dead.isHeld());
        await().pollDelay(ofMillis(3_500)).until(() -> true); // a TTL, and more
        assertThat(alive.isHeld()).isTrue();
        another.release();
        assertThat(processes.isFree(2, WRITE)).isFalse();
        alive.release();
        await().until(() -> processes.isFree(2, WRITE)); // and not when the longest TTL is over
    }

    @Test
    void reader_whoseNodesForgotIt_isInAgainWithItsRenewal() throws Exception {
        Lease one = take(0, READ);
        Lease other = take(1, READ);
        processes.ask(0, Jedis::flushAll);
        assertThat(other.renew()).isTrue();
        assertThat(one.renew()).isTrue();
        // a majority is enough for either, and this node may be the last
        await().until(() -> processes.ask(0, jedis -> jedis.zcard("holdfast:{a}:readers")) == 2);
        one.release();
        other.release();
        await().until(() -> processes.ask(0, jedis -> jedis.keys("*")).equals(Set.of("holdfast:{a}:fence")));
    }

    @Test
    void upgrade_isRefusedAtOnce() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease reader = processes.connection(0).acquire(READ);
            assertThatIllegalStateException()
                    .isThrownBy(() -> processes.connection(0).acquire(WRITE))
                    .withMessageContaining("'a'");
            assertThatIllegalStateException()
                    .isThrownBy(() -> processes.connection(0).tryAcquire(EXCLUSIVE));
            assertThat(reader.isHeld()).isTrue();
            reader.release();
            processes.connection(0).acquire(WRITE).release();
            return null;
        });
    }

    @Test
    void writer_thatGoesOnAsAReader_letsReadersIn() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease writing = processes.connection(0).acquire(WRITE);
            Lease reading = processes.connection(0).acquire(READ);
            assertThat(reading.token()).isEqualTo(writing.token());
            FutureTask<Lease> reader = processes.acquire(1, READ);
            processes.awaitListening("a");
            assertThat(reader).isNotDone();

            writing.release();
            Lease other = reader.get(10, SECONDS);
            assertThat(other.isHeld() && reading.isHeld()).isTrue();
            assertThat(writing.isHeld()).isFalse();
            assertThat(processes.isFree(2, WRITE)).isFalse();

            assertThat(reading.renew()).isTrue();
            other.release();
            assertThat(processes.isFree(2, WRITE)).isFalse();
            reading.release();
            await().until(() -> processes.isFree(2, WRITE));
            return null;
        });
    }

    @Test
    void readLeaseReleasedFirst_leavesTheWriterAlone() throws Exception {
        Processes.onAnotherThread(() -> {
            Lease writing = processes.connection(0).acquire(WRITE);
            processes.connection(0).acquire(READ).release();
            assertThat(writing.isHeld()).isTrue();
            assertThat(processes.isFree(1, READ)).isFalse();
            writing.release();
            return null;
        });
        await().until(() -> processes.isFree(1, WRITE));
    }

    @Test
    void view_hasTheContractOfTheJdks() throws Exception {
        ReadWriteLock lock = processes.connection(0).readWriteLock("a");
        Lock others = processes.connection(1).readWriteLock("a").readLock();
        lock.writeLock().lock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        boolean readsMeanwhile = Processes.onAnotherThread(others::tryLock);
        assertThat(readsMeanwhile).isFalse();
        lock.writeLock().unlock();
        Processes.onAnotherThread(() -> {
            others.lock(); // the writer continues as a reader
            others.unlock();
            return null;
        });
        assertThatIllegalStateException().isThrownBy(() -> lock.writeLock().lock());
        assertThat(lock.writeLock().tryLock()).isFalse();
        long begun = System.nanoTime();
        assertThat(lock.writeLock().tryLock(50, MILLISECONDS)).isFalse();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(50));
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.writeLock().unlock());
        lock.readLock().unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.readLock().unlock());
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }
}
