// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.holdfast.Lease;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.LockTimeoutException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.cdi.LockKey;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.junit.jupiter.api.Test;

/** What each member of the annotation does, on real nodes. */
class LockedMembersTest extends Application {

    private static Lease takeElsewhere(LockRequest request) throws InterruptedException {
        try (LockConnection connection = otherProcess.getConnection()) {
            return connection.acquire(request.detached());
        }
    }

    @ApplicationScoped
    public static class Shapes {
        @Locked({"account-#{from}", "account-#{to}"})
        public boolean move(String from, String to) {
            return isHeld("account-" + from) && isHeld("account-" + to);
        }

        @Locked(value = "prices", mode = LockMode.READ)
        public boolean read() {
            return !isHeld(LockRequest.of("prices").mode(LockMode.READ)) && isHeld("prices");
        }

        @Locked(value = "prices", mode = LockMode.WRITE, fair = true)
        public boolean write() {
            return isHeld(LockRequest.of("prices").mode(LockMode.READ));
        }

        @Locked(value = "queue", fair = true)
        public boolean inOrder() {
            return isHeld("queue");
        }

        @Locked("stock-#{sku}")
        public boolean named(@LockKey("sku") String article) {
            return isHeld("stock-" + article);
        }

        @Locked(value = "bounded", maxHold = "PT0.5S")
        public void tooLong() {
            await().atMost(20, SECONDS).until(() -> !isHeld("bounded"));
        }
    }

    @Test
    void severalNames_areLockedTogether_andThoseThatComeOutEqualOnce() {
        Shapes bean = deploy(Shapes.class);
        assertThat(bean.move("1", "2")).isTrue();
        assertThat(bean.move("3", "3")).isTrue();
        assertThat(isHeld(LockRequest.allOf("account-1", "account-2", "account-3")))
                .isFalse();
    }

    @Test
    void modes_andOrder_areThoseOfTheLock() {
        Shapes bean = deploy(Shapes.class);
        assertThat(bean.read()).isTrue();
        assertThat(bean.write()).isTrue();
        assertThat(bean.inOrder()).isTrue();
    }

    @Test
    void lockKey_givesTheParameterItsName() {
        assertThat(deploy(Shapes.class).named("lamp")).isTrue();
    }

    @Test
    void maxHold_endsTheLockOfAMethodThatHangs() {
        Shapes bean = deploy(Shapes.class);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(bean::tooLong)
                .withMessageContaining("maxHold of 500 ms");
    }

    @ApplicationScoped
    public static class Busy {
        final AtomicInteger runs = new AtomicInteger();

        @Locked(value = "busy", onBusy = OnBusy.FAIL)
        public void fail() {
            runs.incrementAndGet();
        }

        @Locked(value = "busy", onBusy = OnBusy.SKIP)
        public void skip() {
            runs.incrementAndGet();
        }

        @Locked(value = "busy", onBusy = OnBusy.SKIP)
        public Optional<String> optional() {
            runs.incrementAndGet();
            return Optional.of("ran");
        }

        @Locked(value = "busy", onBusy = OnBusy.SKIP)
        public boolean flag() {
            runs.incrementAndGet();
            return true;
        }

        @Locked(value = "job", onBusy = OnBusy.SKIP, atLeast = "PT3S")
        public boolean job() {
            return true;
        }

        public int runs() {
            return runs.get();
        }
    }

    @Test
    void busyLock_failsOrSkipsAtOnce_andRunsWhenItIsFree() throws Exception {
        Busy bean = deploy(Busy.class);
        Lease theirs = takeElsewhere(LockRequest.of("busy"));
        assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(bean::fail);
        bean.skip();
        assertThat(bean.optional()).isEmpty();
        assertThat(bean.flag()).isFalse();
        assertThat(bean.runs()).isZero();

        theirs.release();
        await().until(bean::flag);
        assertThat(bean.optional()).contains("ran");
        bean.skip();
        assertThat(bean.runs()).isEqualTo(3);
    }

    /** All but one of them wait behind others, and do not get to ask. */
    @Test
    void skip_byManyAtOnceWhenTooFewNodesAnswer_isAnExceptionForEach() {
        Busy bean = deploy(Busy.class);
        bean.flag();
        redis.get(0).freeze();
        redis.get(1).freeze();
        try {
            List<CompletableFuture<Boolean>> calls = Stream.generate(
                            () -> CompletableFuture.supplyAsync(bean::job, THREADS))
                    .limit(6)
                    .toList();
            for (CompletableFuture<Boolean> call : calls) {
                assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(call::join)
                        .withCauseInstanceOf(QuorumUnavailableException.class);
            }
        } finally {
            redis.get(0).thaw();
            redis.get(1).thaw();
        }
        await().atMost(20, SECONDS).ignoreExceptions().until(bean::flag);
    }

    private static final Executor THREADS = task -> new Thread(task).start();

    @Locked("outer")
    @ApplicationScoped
    public static class Nested {
        @Inject
        Inner inner;

        public boolean plain() {
            return inner.plain();
        }

        public void otherTtl() {
            inner.otherTtl();
        }
    }

    @ApplicationScoped
    public static class Inner {
        @Locked("outer")
        public boolean plain() {
            return isHeld("outer");
        }

        @Locked(value = "outer", ttl = "PT7S")
        public void otherTtl() {}
    }

    @Test
    void innerMethod_withAnotherTtl_isRefused_andWithoutRunsUnderTheLockThatThereIs() {
        Nested bean = deploy(Nested.class, new Class<?>[] {Inner.class});
        assertThat(bean.plain()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(bean::otherTtl)
                .withMessageContaining("a ttl of 30000 ms, and asks for 7000 ms");
        assertThat(isHeld("outer")).isFalse();
    }

    @Test
    void skip_whenTooFewNodesAnswer_isAnExceptionAndNoSilence() {
        Busy bean = deploy(Busy.class);
        bean.flag();
        redis.get(0).freeze();
        redis.get(1).freeze();
        try {
            assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(bean::flag);
        } finally {
            redis.get(0).thaw();
            redis.get(1).thaw();
        }
        await().atMost(20, SECONDS).ignoreExceptions().until(bean::flag);
    }

    @Test
    void jobThatIsDoneAtOnce_isNotDoneAgainBeforeAtLeastIsOver_byWhicheverThread() {
        Busy bean = deploy(Busy.class);
        assertThat(bean.job()).isTrue();
        assertThat(bean.job()).isFalse();
        assertThat(CompletableFuture.supplyAsync(bean::job).join()).isFalse();
        shutDown(); // the process ends
        container = null;
        assertThat(isHeld("job")).isTrue();
        await().atMost(20, SECONDS).until(() -> !isHeld("job"));
    }

    @ApplicationScoped
    public static class Losing {
        final CountDownLatch interrupted = new CountDownLatch(1);

        private static void lose(String lock) {
            otherProcess.forceRelease(lock);
        }

        @Locked(value = "lost-rollback", ttl = "PT1S")
        public void rollback() throws Exception {
            lose("lost-rollback");
            await().atMost(20, SECONDS).until(() -> !isHeld("lost-rollback"));
            SECONDS.sleep(2); // a renewal reports it
        }

        @Locked(value = "lost-interrupt", ttl = "PT1S", onLoss = OnLoss.INTERRUPT)
        public void interrupt() {
            lose("lost-interrupt");
            try {
                SECONDS.sleep(30);
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }

        @Locked(value = "lost-continue", ttl = "PT1S", onLoss = OnLoss.CONTINUE, scope = LockScope.INVOCATION)
        public String goOn() throws Exception {
            lose("lost-continue");
            SECONDS.sleep(2);
            return "done";
        }

        public boolean wasInterrupted() {
            return interrupted.getCount() == 0;
        }
    }

    @Test
    void lostLock_isToldAsTheMethodSays() throws Exception {
        Losing bean = deploy(Losing.class);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(bean::rollback);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(bean::interrupt);
        assertThat(bean.wasInterrupted()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(bean.goOn()).isEqualTo("done");
    }

    @ApplicationScoped
    public static class Elsewhere {
        @Locked(value = "a", factory = "java:/eis/other")
        public void work() {}
    }

    @Test
    void factory_thatIsNotThere_isNamedAndTheMethodDoesNotRun() {
        Elsewhere bean = deploy(Elsewhere.class);
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageContaining("'java:/eis/other'");
    }
}
