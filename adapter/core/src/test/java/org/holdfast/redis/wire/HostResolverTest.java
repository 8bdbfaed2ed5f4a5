// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.redis.ClockByHand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name server that is slow, hangs, or changes its mind; and containers that are short of threads. */
@Timeout(60)
class HostResolverTest {

    private static final String SAID_NOTHING = "the name server has not said in time where host a.example is";
    private static final long SHORT_MILLIS = 500;

    private final AtomicInteger lookups = new AtomicInteger();
    private final CountDownLatch hanging = new CountDownLatch(1);
    private final ClockByHand time = new ClockByHand();
    private volatile Thread asking;

    @AfterEach
    void answer() {
        hanging.countDown();
    }

    private static void onNewThread(Runnable task) {
        new Thread(task, "asks a name server").start();
    }

    private HostResolver names(Executor threads) {
        return new HostResolver(this::resolve, threads, time);
    }

    /** Returns another address each time. */
    private InetAddress[] resolve(String host) throws UnknownHostException {
        asking = Thread.currentThread();
        return new InetAddress[] {InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) lookups.incrementAndGet()})};
    }

    private HostResolver hangingNames(Executor threads) {
        return new HostResolver(
                host -> {
                    InetAddress[] found = resolve(host);
                    awaitAnswer();
                    return found;
                },
                threads,
                time);
    }

    private void awaitAnswer() {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String ask(HostResolver names, String host, long millis) throws IOException {
        return names.addresses(host, System.nanoTime() + MILLISECONDS.toNanos(millis))[0].getHostAddress();
    }

    private static String ask(HostResolver names) throws IOException {
        return ask(names, "a.example", 10_000);
    }

    private static void askInVain(HostResolver names) {
        assertThatIOException()
                .isThrownBy(() -> ask(names, "a.example", SHORT_MILLIS))
                .withMessage(SAID_NOTHING);
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        onNewThread(task);
        return task;
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "[::1]"})
    void ipAddress_needsNoOtherThread(String host) throws Exception {
        ask(names(HostResolverTest::onNewThread), host, 0);
        assertThat(asking).isSameAs(Thread.currentThread());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example", "1a", "a1", "a.1b", "localhost"})
    void name_isLookedUpByAnotherThread(String host) throws Exception {
        ask(names(HostResolverTest::onNewThread), host, 10_000);
        assertThat(asking).isNotSameAs(Thread.currentThread());
    }

    @Test
    void name_isAskedForEachTime_forItsAddressMayChange() throws Exception {
        HostResolver names = names(HostResolverTest::onNewThread);
        assertThat(ask(names)).isEqualTo("127.0.0.1");
        assertThat(ask(names)).isEqualTo("127.0.0.2");
    }

    @Test
    void name_thatIsUnknown_isSaidToBe_andAskedForAnew() {
        HostResolver names = new HostResolver(
                host -> {
                    lookups.incrementAndGet();
                    throw new UnknownHostException(host + ": never heard of it");
                },
                HostResolverTest::onNewThread,
                time);
        for (int i = 1; i <= 2; i++) {
            assertThatIOException().isThrownBy(() -> ask(names)).withMessage("a.example: never heard of it");
            assertThat(lookups).hasValue(i);
        }
    }

    @Test
    void lookup_thatHangs_isWaitedForByAll_inTime() throws Exception {
        HostResolver names = hangingNames(HostResolverTest::onNewThread);
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            await().until(() -> callers.isEmpty() || lookups.get() == 1); // else another thread looks it up itself
            callers.add(start(() -> {
                askInVain(names);
                return null;
            }));
        }
        for (FutureTask<Void> caller : callers) {
            caller.get(10, SECONDS);
        }
        askInVain(names);
        assertThat(lookups).hasValue(1);
    }

    @Test
    void lookup_ofAnotherName_isNotWaitedFor() throws Exception {
        HostResolver names = new HostResolver(
                host -> {
                    if (host.equals("a.example")) {
                        awaitAnswer();
                    }
                    return resolve(host);
                },
                HostResolverTest::onNewThread,
                time);
        askInVain(names);
        assertThat(ask(names, "b.example", 10_000)).isEqualTo("127.0.0.1");
    }

    @Test
    void answer_thatComesTooLate_isForTheNextWhoAsks_andNobodyElse() throws Exception {
        HostResolver names = hangingNames(HostResolverTest::onNewThread);
        askInVain(names);
        await().until(() -> asking != null); // a busy machine may begin it after its caller has given up
        hanging.countDown();
        asking.join();
        assertThat(ask(names)).isEqualTo("127.0.0.1");
        assertThat(ask(names)).isEqualTo("127.0.0.2");
    }

    @Test
    void answer_thatCameTooLate_isForgottenSoon() throws Exception {
        HostResolver names = hangingNames(HostResolverTest::onNewThread);
        askInVain(names);
        await().until(() -> asking != null); // a busy machine may begin it after its caller has given up
        hanging.countDown();
        asking.join();
        time.pass(Duration.ofSeconds(2).plusNanos(1));
        assertThat(ask(names)).isEqualTo("127.0.0.2");
    }

    @Test
    void interrupt_endsNoLookup_andIsKept() throws Exception {
        HostResolver names = hangingNames(HostResolverTest::onNewThread);
        FutureTask<Boolean> caller = new FutureTask<>(() -> {
            assertThat(ask(names)).isEqualTo("127.0.0.1");
            return Thread.interrupted();
        });
        Thread thread = new Thread(caller, "is interrupted");
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        hanging.countDown();
        assertThat(caller.get(10, SECONDS)).isTrue();
    }

    @Test
    void container_thatGivesNoThread_costsNoNodeItsVote() throws Exception {
        HostResolver names = names(task -> {
            throw new RejectedExecutionException("suspended");
        });
        assertThat(ask(names)).isEqualTo("127.0.0.1");
        assertThat(ask(names)).isEqualTo("127.0.0.2");
    }

    @Test
    void container_thatGivesAThreadTooLate_isNotWaitedForTwice() throws Exception {
        Queue<Runnable> queue = new ArrayDeque<>();
        HostResolver names = names(queue::add);
        askInVain(names);
        assertThat(ask(names)).isEqualTo("127.0.0.1");
        queue.remove().run();
        assertThat(lookups).hasValue(1);
        assertThat(queue).isEmpty();
    }

    @Test
    void resolver_thatIsBroken_isAnObstacleLikeAnother() {
        HostResolver names = new HostResolver(
                host -> {
                    throw new SecurityException("you may not ask");
                },
                HostResolverTest::onNewThread,
                time);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> ask(names))
                .withMessage("you may not ask");
    }
}
