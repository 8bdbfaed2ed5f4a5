// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Interceptors of the application that attempt a call on several threads: each attempt has a lock, or does not run. */
class AttemptsTest extends Application {

    private static final List<String> SEEN = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
        Submitting.ATTEMPTS.clear();
    }

    private static void see(String what) {
        SEEN.add(what + (isHeld("ordered") ? ", locked" : ", free"));
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Repeated {}

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Hedged {}

    /** As a retry after a time limit whose first attempt goes on: outside of the lock. */
    @Hedged
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 50)
    public static class TwoAttemptsAtOnce {
        @AroundInvoke
        Object attempt(InvocationContext context) throws Exception {
            FutureTask<Object> other = new FutureTask<>(() -> {
                assertThat(Overtaken.FIRST_WORKS.await(30, TimeUnit.SECONDS)).isTrue();
                return context.proceed();
            });
            new Thread(other, "other-attempt").start();
            context.proceed();
            return other.get(30, TimeUnit.SECONDS);
        }
    }

    @ApplicationScoped
    public static class Overtaken {
        private static final CountDownLatch FIRST_WORKS = new CountDownLatch(1);
        private final List<Long> tokens = new CopyOnWriteArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @Inject
        private Lease lease;

        @Hedged
        @Locked("ordered")
        public void work() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            tokens.add(lease.token());
            FIRST_WORKS.countDown();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // the other attempt has the time to come
            lease.requireHeld();
            inside.decrementAndGet();
        }

        public List<Long> tokens() {
            return tokens;
        }

        public int most() {
            return most.get();
        }
    }

    @Test
    void attempt_thatBeginsWhileAnotherGoesOn_takesTheLockForItself() {
        Overtaken bean = deploy(Overtaken.class, new Class<?>[] {TwoAttemptsAtOnce.class});
        bean.work();
        assertThat(bean.most()).isOne();
        assertThat(bean.tokens()).hasSize(2).doesNotHaveDuplicates().isSorted();
        assertThat(isHeld("ordered")).isFalse();
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Submitted {}

    /** Inside of the lock, and outside of the transaction: gives each attempt to a thread of its own. */
    @Submitted
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
    public static class OnAnotherThread {
        @AroundInvoke
        Object submit(InvocationContext context) {
            Attempt attempt = Submitting.ATTEMPTS.remove();
            CompletableFuture<?> result = CompletableFuture.supplyAsync(
                            () -> {
                                attempt.before().run();
                                return proceed(context);
                            },
                            run -> new Thread(run, "attempt").start())
                    .thenCompose(work -> (CompletionStage<?>) work);
            result.whenComplete((done, failure) -> attempt.after().accept(failure));
            return attempt.giveUp().isPresent() ? givenUp(attempt.giveUp().get()) : result;
        }

        private static CompletableFuture<?> givenUp(Runnable when) {
            when.run();
            return CompletableFuture.failedFuture(new TimeoutException("on purpose"));
        }

        private static Object proceed(InvocationContext context) {
            try {
                return context.proceed();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * How an attempt goes.
     *
     * @param giveUp where its result is not waited for: returns when the attempt is given up
     */
    record Attempt(Runnable before, Consumer<Throwable> after, Optional<Runnable> giveUp) {}

    /** Tries again if the first attempt is given up, which then comes late. */
    @Repeated
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 50)
    public static class AgainIfLate {
        @AroundInvoke
        Object retry(InvocationContext context) throws Exception {
            assertThat(((CompletionStage<?>) context.proceed()).toCompletableFuture())
                    .failsWithin(30, TimeUnit.SECONDS);
            return context.proceed();
        }
    }

    @ApplicationScoped
    public static class Submitting {
        private static final Queue<Attempt> ATTEMPTS = new ConcurrentLinkedQueue<>();
        private Runnable work = () -> {};

        @Submitted
        @Locked("ordered")
        public CompletionStage<String> once() {
            see("work");
            work.run();
            return CompletableFuture.completedFuture("done");
        }

        @Repeated
        @Submitted
        @Locked("ordered")
        public CompletionStage<String> retried() {
            see("work");
            work.run();
            return CompletableFuture.completedFuture("done");
        }

        public void work(Runnable work) {
            this.work = work;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void restThatAnotherThreadRuns_afterTheThreadThatTookTheLockHasReturned_isLocked() throws Exception {
        CountDownLatch returned = new CountDownLatch(1);
        Submitting.ATTEMPTS.add(new Attempt(() -> await(returned), failure -> {}, Optional.empty()));
        Submitting bean = deploy(Submitting.class, new Class<?>[] {OnAnotherThread.class});
        CompletionStage<String> result = bean.once();
        returned.countDown();
        assertThat(result.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(SEEN).containsExactly("work, locked");
        Awaitility.await().until(() -> !isHeld("ordered"));
    }

    @Test
    void attempt_thatComesLate_whileTheNextOneHasTheLock_doesNotRun() throws Exception {
        CountDownLatch secondWorks = new CountDownLatch(1);
        CompletableFuture<Throwable> ofFirst = new CompletableFuture<>();
        Submitting.ATTEMPTS.add(new Attempt(() -> await(secondWorks), ofFirst::complete, Optional.of(() -> {})));
        Submitting.ATTEMPTS.add(new Attempt(() -> {}, failure -> {}, Optional.empty()));
        Submitting bean = deploy(Submitting.class, new Class<?>[] {AgainIfLate.class, OnAnotherThread.class});
        bean.work(() -> {
            secondWorks.countDown();
            assertThat(ofFirst.orTimeout(30, TimeUnit.SECONDS).join()).hasMessageContaining("without its lock");
        });
        assertThat(bean.retried().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isEqualTo("done");
        assertThat(SEEN).filteredOn(seen -> seen.startsWith("work")).containsExactly("work, locked");
    }

    @Test
    void attempt_thatIsGivenUpInTheMethod_keepsItsLockUntilItHasLeftThat() throws Exception {
        CountDownLatch firstWorks = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Submitting.ATTEMPTS.add(new Attempt(() -> {}, failure -> {}, Optional.of(() -> await(firstWorks))));
        Submitting.ATTEMPTS.add(new Attempt(() -> {}, failure -> {}, Optional.empty()));
        Submitting bean = deploy(Submitting.class, new Class<?>[] {OnAnotherThread.class});
        bean.work(() -> {
            firstWorks.countDown();
            await(mayEnd);
        });
        assertThat(bean.once().toCompletableFuture()).failsWithin(30, TimeUnit.SECONDS);
        assertThat(isHeld("ordered")).as("the first attempt is in the method").isTrue();
        mayEnd.countDown();
        assertThat(bean.once().toCompletableFuture()).succeedsWithin(30, TimeUnit.SECONDS);
        Awaitility.await().until(() -> !isHeld("ordered"));
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Limited {}

    /** Gives up at once, and leaves the method to run on. */
    @Limited
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
    public static class TimeLimit {
        @AroundInvoke
        Object limit(InvocationContext context) throws Exception {
            new Thread(new FutureTask<>(context::proceed), "limited").start();
            GoingOn.WORKS.await(30, TimeUnit.SECONDS);
            throw new TimeoutException("on purpose");
        }
    }

    @ApplicationScoped
    public static class GoingOn {
        private static final CountDownLatch WORKS = new CountDownLatch(1);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @Limited
        @Locked("ordered")
        public void work() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            WORKS.countDown();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // the caller has the time to come again
            inside.decrementAndGet();
        }

        public int most() {
            return most.get();
        }
    }

    /** It has the lock, and would take it once more. */
    @Test
    void thread_whoseCallWasGivenUp_doesNotReturnBeforeTheMethodHas() {
        GoingOn bean = deploy(GoingOn.class, new Class<?>[] {TimeLimit.class});
        for (int times = 0; times < 2; times++) {
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(bean::work);
        }
        assertThat(bean.most()).isOne();
        Awaitility.await().until(() -> !isHeld("ordered"));
    }
}
