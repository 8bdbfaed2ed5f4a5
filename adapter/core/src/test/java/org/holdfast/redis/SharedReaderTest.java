// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.holdfast.StandingThread;
import org.holdfast.redis.address.FixedAddress;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that reads for others fails, as without memory: the others must not wait for it. */
@Timeout(60)
class SharedReaderTest {

    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** Once it finds no memory for what a thread needs that waits for it. */
    private static final class LockWithoutMemory extends ReentrantLock {

        private static final long serialVersionUID = 1;

        private volatile Thread failsFor;

        @Override
        public void lock() {
            if (failsFor == Thread.currentThread()) {
                failsFor = null;
                throw new OutOfMemoryError("Java heap space");
            }
            super.lock();
        }
    }

    private final LockWithoutMemory lock = new LockWithoutMemory();
    private volatile Thread reading;
    private volatile boolean lost;

    private SharedReader reader(IntConsumer ready) throws Exception {
        SharedReader reader = new SharedReader(lock, ready, node -> {}, () -> lost = true);
        reader.requireSelector();
        return reader;
    }

    /** Has the lock on a thread of its own: without a mend it may stand still for ever. */
    private CompletableFuture<Void> withLock(Action action) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                lock.lock();
                try {
                    action.run();
                } finally {
                    lock.unlock();
                }
                ended.complete(null);
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    private interface Action {
        void run() throws Exception;
    }

    private CompletableFuture<Void> read(SharedReader reader) {
        CompletableFuture<Void> ended = withLock(() -> {
            reading = Thread.currentThread();
            reader.awaitAny(LONG_NANOS);
        });
        await().until(() -> withLock(() -> assertThat(reader.isReading()).isTrue())
                .handle((nothing, failure) -> failure == null)
                .get(10, TimeUnit.SECONDS));
        return ended;
    }

    @Test
    void readerThread_withoutMemoryToTakeTheLock_readsAllTheSame() throws Exception {
        SharedReader reader = reader(node -> {});
        CompletableFuture<Void> readerThread = read(reader);
        lock.failsFor = reading;
        withLock(reader::readWhatHasCome).get(10, TimeUnit.SECONDS);
        readerThread.get(10, TimeUnit.SECONDS);
        reader.close();
    }

    @Test
    void readerThread_thatFailsWhileItReads_keepsNoOtherThreadWaiting() throws Exception {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                NodeConnection connection = connect(redis)) {
            boolean[] fails = {true};
            SharedReader reader = reader(node -> {
                if (fails[0]) {
                    fails[0] = false;
                    throw new OutOfMemoryError("Java heap space");
                }
            });
            withLock(() -> reader.add(connection, 0)).get(10, TimeUnit.SECONDS);
            CompletableFuture<Void> readerThread = read(reader);
            withLock(
                            () -> { // the reader thread finds that, and reads when this thread waits for it
                                redis.ask("CLIENT KILL TYPE normal SKIPME yes");
                                reader.readWhatHasCome();
                            })
                    .get(10, TimeUnit.SECONDS);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> readerThread.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(OutOfMemoryError.class);
            reader.close();
        }
    }

    @Test
    void readerThread_thatNeverComes_isGivenUp_withAllConnections() throws Exception {
        SharedReader reader = reader(node -> {});
        read(reader);
        StandingThread.standStillIn("lockAndDoSelect", reading);
        withLock(reader::readWhatHasCome).get(30, TimeUnit.SECONDS);
        assertThat(lost).isTrue();
        withLock(() -> assertThat(reader.isReading()).isFalse()).get(10, TimeUnit.SECONDS);
        reader.requireSelector();
        read(reader); // with another selector
        withLock(reader::readWhatHasCome).get(10, TimeUnit.SECONDS);
        reader.close();
    }

    @Test
    void readerThread_thatNeverComes_holdsUpNoEnd() throws Exception {
        SharedReader reader = reader(node -> {});
        read(reader);
        StandingThread.standStillIn("lockAndDoSelect", reading);
        withLock(() -> {
                    reader.stop();
                    reader.close();
                })
                .get(30, TimeUnit.SECONDS);
        assertThat(lost).isFalse();
    }

    @Test
    void readerThread_thatNeverComes_holdsUpNoneOfTwoThatEndTheChannel() throws Exception {
        SharedReader reader = reader(node -> {});
        read(reader);
        StandingThread.standStillIn("lockAndDoSelect", reading);
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        ends.add(withLock(reader::readWhatHasCome)); // gives it up meanwhile, as another caller does
        for (int i = 0; i < 2; i++) {
            ends.add(withLock(() -> {
                reader.stop();
                reader.close();
            }));
        }
        for (CompletableFuture<Void> end : ends) {
            end.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void connection_thatIsOpenedWhileTheReaderThreadIsGivenUp_isReadFrom() throws Exception {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                NodeConnection connection = connect(redis)) {
            CompletableFuture<Integer> readable = new CompletableFuture<>();
            SharedReader reader = reader(readable::complete);
            read(reader);
            StandingThread.standStillIn("lockAndDoSelect", reading);
            withLock(reader::readWhatHasCome).get(30, TimeUnit.SECONDS);
            withLock(() -> reader.awaitAny(1)).get(10, TimeUnit.SECONDS); // there is nothing to wait with
            withLock(() -> {
                        reader.requireSelector();
                        reader.add(connection, 7);
                    })
                    .get(10, TimeUnit.SECONDS);
            read(reader);
            redis.ask("CLIENT KILL TYPE normal SKIPME yes");
            assertThat(readable.get(10, TimeUnit.SECONDS)).isEqualTo(7);
            withLock(reader::close).get(10, TimeUnit.SECONDS);
        }
    }

    private static NodeConnection connect(RedisServer redis) {
        NodeConnector connector = new NodeConnector(
                ConnectionSecurity.DEFAULT, OneNode.NODE_TIMEOUT, Runnable::run, new OneNode.WaitlessTime());
        VoterAddress address =
                VoterAddresses.parse(redis.uri(), "nodes", new ArrayList<>()).get(0);
        return connector.open((FixedAddress) address, 0, connector.deadline());
    }
}
