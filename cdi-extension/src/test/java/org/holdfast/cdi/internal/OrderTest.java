// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;

/** Which interceptor is outside of which. The transaction is only a priority here; tests on servers have real ones. */
class OrderTest extends Application {

    private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

    private static void see(String what) {
        SEEN.add(what + (isHeld("ordered") ? ", locked" : ", free"));
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface RetriedOutside {}

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface RetriedInside {}

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface InTransaction {}

    private static Object twice(InvocationContext context) throws Exception {
        see("attempt");
        try {
            return context.proceed();
        } catch (UnsupportedOperationException e) {
            see("attempt");
            return context.proceed();
        }
    }

    /** Where {@code mp.fault.tolerance.interceptor.priority} may put it. */
    @RetriedOutside
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 50)
    public static class OutsideRetry {
        @AroundInvoke
        Object retry(InvocationContext context) throws Exception {
            return twice(context);
        }
    }

    /** Where MicroProfile Fault Tolerance puts it by itself. */
    @RetriedInside
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_AFTER + 10)
    public static class InsideRetry {
        @AroundInvoke
        Object retry(InvocationContext context) throws Exception {
            return twice(context);
        }
    }

    /** Where {@code @Transactional} is. */
    @InTransaction
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 200)
    public static class Transaction {
        @AroundInvoke
        Object bracket(InvocationContext context) throws Exception {
            see("begin");
            try {
                return context.proceed();
            } finally {
                see("end");
            }
        }
    }

    @ApplicationScoped
    public static class Ordered {
        private final List<Long> tokens = new ArrayList<>();

        @Inject
        private Lease lease;

        private void workTheSecondTime() {
            see("work");
            tokens.add(lease.token());
            if (tokens.size() == 1) {
                throw new UnsupportedOperationException("on purpose");
            }
        }

        @RetriedOutside
        @Locked("ordered")
        @InTransaction
        public void outside() {
            workTheSecondTime();
        }

        @RetriedInside
        @Locked("ordered")
        @InTransaction
        public void inside() {
            workTheSecondTime();
        }

        public List<Long> tokens() {
            return tokens;
        }
    }

    private Ordered deployed() {
        SEEN.clear();
        return deploy(Ordered.class, new Class<?>[] {OutsideRetry.class, InsideRetry.class, Transaction.class});
    }

    @Test
    void retryOutside_takesTheLockAndBeginsATransactionForEachAttempt() {
        Ordered bean = deployed();
        bean.outside();
        assertThat(SEEN)
                .containsExactly(
                        "attempt, free",
                        "begin, locked",
                        "work, locked",
                        "end, locked",
                        "attempt, free",
                        "begin, locked",
                        "work, locked",
                        "end, locked");
        assertThat(bean.tokens().get(1)).isGreaterThan(bean.tokens().get(0));
        assertThat(isHeld("ordered")).isFalse();
    }

    @Test
    void retryInside_attemptsUnderOneLockAndInOneTransaction() {
        Ordered bean = deployed();
        bean.inside();
        assertThat(SEEN)
                .containsExactly(
                        "begin, locked",
                        "attempt, locked",
                        "work, locked",
                        "attempt, locked",
                        "work, locked",
                        "end, locked");
        assertThat(bean.tokens().get(1)).isEqualTo(bean.tokens().get(0));
    }

    /** Ours once more, inside: TomEE runs that of an EAR after that of its web module. */
    @Locked("")
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 220)
    public static class OnceMore extends LockInterceptor {
        private static final long serialVersionUID = 1L;
    }

    @ApplicationScoped
    public static class Hearing {
        @RetriedOutside
        @Locked("ordered")
        public void work() {
            see("work");
            if (SEEN.indexOf("work, locked") == SEEN.size() - 1) {
                throw new UnsupportedOperationException("on purpose, the first time");
            }
        }

        void hear(@Observes LeaseAcquired event) {
            SEEN.add("acquired");
        }
    }

    @Test
    void interceptor_thatTheContainerRunsTwice_takesTheLockOnceForEachAttempt() {
        SEEN.clear();
        Hearing bean = deploy(Hearing.class, new Class<?>[] {OutsideRetry.class, OnceMore.class});
        bean.work();
        assertThat(SEEN)
                .containsExactly(
                        "attempt, free", "acquired", "work, locked", "attempt, free", "acquired", "work, locked");
    }

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
        @InTransaction
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
        SEEN.clear();
        Overtaken bean = deploy(Overtaken.class, new Class<?>[] {TwoAttemptsAtOnce.class, Transaction.class});
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
            return attempt.isGivenUp() ? CompletableFuture.failedFuture(new TimeoutException("on purpose")) : result;
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
     * @param isGivenUp whether its result is not waited for
     */
    record Attempt(Runnable before, Consumer<Throwable> after, boolean isGivenUp) {}

    /** Tries again if the first attempt is given up, which then comes late. */
    @RetriedOutside
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
        @InTransaction
        public CompletionStage<String> once() {
            see("work");
            return CompletableFuture.completedFuture("done");
        }

        @RetriedOutside
        @Submitted
        @Locked("ordered")
        @InTransaction
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
        SEEN.clear();
        CountDownLatch returned = new CountDownLatch(1);
        Submitting.ATTEMPTS.add(new Attempt(() -> await(returned), failure -> {}, false));
        Submitting bean = deploy(Submitting.class, new Class<?>[] {OnAnotherThread.class, Transaction.class});
        CompletionStage<String> result = bean.once();
        returned.countDown();
        assertThat(result.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(SEEN).containsExactly("begin, locked", "work, locked", "end, locked");
        Awaitility.await().until(() -> !isHeld("ordered"));
    }

    @Test
    void attempt_thatComesLate_whileTheNextOneHasTheLock_doesNotRun() throws Exception {
        SEEN.clear();
        CountDownLatch secondWorks = new CountDownLatch(1);
        CompletableFuture<Throwable> ofFirst = new CompletableFuture<>();
        Submitting.ATTEMPTS.add(new Attempt(() -> await(secondWorks), ofFirst::complete, true));
        Submitting.ATTEMPTS.add(new Attempt(() -> {}, failure -> {}, false));
        Submitting bean =
                deploy(Submitting.class, new Class<?>[] {AgainIfLate.class, OnAnotherThread.class, Transaction.class});
        bean.work(() -> {
            secondWorks.countDown();
            assertThat(ofFirst.orTimeout(30, TimeUnit.SECONDS).join()).hasMessageContaining("without its lock");
        });
        assertThat(bean.retried().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isEqualTo("done");
        assertThat(SEEN).filteredOn(seen -> seen.startsWith("work")).containsExactly("work, locked");
    }
}
