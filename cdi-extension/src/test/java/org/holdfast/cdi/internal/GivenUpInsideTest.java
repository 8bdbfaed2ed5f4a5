// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Interceptors inside of the lock that give the method up before its work is done, wherever they are: the lock is held
 * until it is.
 */
class GivenUpInsideTest extends Application {

    /** What an interceptor does with the call. */
    interface Way {
        Object of(InvocationContext call) throws Exception;
    }

    private static volatile Way way;
    private Working bean;

    @BeforeEach
    void deploy() {
        bean = deploy(Working.class, new Class<?>[] {OutsideOfTransactions.class, AtTheApplications.class});
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Outer {}

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Inner {}

    @Outer
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
    public static class OutsideOfTransactions {
        @AroundInvoke
        Object intercept(InvocationContext call) throws Exception {
            return way.of(call);
        }
    }

    /** MicroProfile Fault Tolerance is here by default. */
    @Inner
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_AFTER + 10)
    public static class AtTheApplications {
        @AroundInvoke
        Object intercept(InvocationContext call) throws Exception {
            return way.of(call);
        }
    }

    @ApplicationScoped
    public static class Working {
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final CountDownLatch runs = new CountDownLatch(1);

        /** What the methods return. */
        private final CompletableFuture<String> work = new CompletableFuture<>();

        private void work() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            runs.countDown();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // another thread has the time to come
            inside.decrementAndGet();
        }

        @Inner
        @Locked("ordered")
        public void inner() {
            work();
        }

        @Outer
        @Locked("ordered")
        public CompletionStage<String> outerStage() {
            work();
            return work;
        }

        @Inner
        @Locked("ordered")
        public CompletionStage<String> innerStage() {
            work();
            return work;
        }

        public void awaitRun() throws InterruptedException {
            assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        }

        public boolean isInside() {
            return inside.get() > 0;
        }

        public int most() {
            return most.get();
        }

        public void complete() {
            work.complete("done");
        }
    }

    private Object giveUpRunningMethod(InvocationContext call) throws Exception {
        new Thread(new FutureTask<>(call::proceed), "given-up").start();
        bean.awaitRun();
        throw new TimeoutException("on purpose");
    }

    private static void awaitFree() {
        Awaitility.await().until(() -> !isHeld("ordered"));
    }

    @Test
    void methodThatIsGivenUpFarInside_isLeftBeforeTheCallReturns() {
        way = this::giveUpRunningMethod;
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(bean::inner);
        assertThat(bean.isInside()).isFalse();
        awaitFree();
    }

    @Test
    void twoThreadsFarInside_areNotInTheMethodAtOnce() throws Exception {
        way = call -> {
            FutureTask<Object> other = new FutureTask<>(call::proceed);
            new Thread(other, "other").start();
            bean.awaitRun();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(call::proceed)
                    .withMessageContaining("HF0507");
            return other.get(30, TimeUnit.SECONDS);
        };
        bean.inner();
        assertThat(bean.most()).isOne();
        awaitFree();
    }

    @Test
    void stageOfACallThatWasGivenUp_keepsTheLockUntilItIsDone() throws Exception {
        CompletableFuture<Object> ofThread = new CompletableFuture<>();
        way = call -> {
            FutureTask<Object> task = new FutureTask<>(() -> {
                Object result = call.proceed();
                ofThread.complete(result);
                return result;
            });
            new Thread(task, "given-up").start();
            bean.awaitRun();
            throw new TimeoutException("on purpose");
        };
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(bean::outerStage);
        ofThread.get(30, TimeUnit.SECONDS);
        assertThat(isHeld("ordered")).as("the stage is not done").isTrue();
        bean.complete();
        awaitFree();
    }

    @Test
    void stageThatAnInterceptorReplaces_keepsTheLockUntilThatOfTheMethodIsDone() throws Exception {
        way = call -> ((CompletionStage<?>) call.proceed())
                .toCompletableFuture()
                .copy()
                .orTimeout(50, TimeUnit.MILLISECONDS);
        assertThat(bean.innerStage().toCompletableFuture()).failsWithin(30, TimeUnit.SECONDS);
        assertThat(isHeld("ordered")).as("the method's stage is not done").isTrue();
        bean.complete();
        awaitFree();
    }

    /** As with {@code @Asynchronous} of MicroProfile Fault Tolerance: a cancellation does not end the method. */
    @Test
    void methodThatAnotherThreadRuns_keepsTheLockWhenItsCallerCancels() throws Exception {
        way = call -> {
            FutureTask<Object> task = new FutureTask<>(call::proceed);
            new Thread(task, "asynchronous").start();
            return new CompletableFuture<>();
        };
        CompletableFuture<String> given = bean.innerStage().toCompletableFuture();
        bean.awaitRun();
        given.cancel(true);
        assertThat(isHeld("ordered")).as("a thread is in the method").isTrue();
        Awaitility.await().until(() -> !bean.isInside());
        assertThat(isHeld("ordered")).as("the method's stage is not done").isTrue();
        bean.complete();
        awaitFree();
    }

    @Test
    void methodThatBeginsAfterItsCallerCancelled_doesNotRun() throws Exception {
        CompletableFuture<InvocationContext> later = new CompletableFuture<>();
        way = call -> {
            later.complete(call);
            return new CompletableFuture<>();
        };
        bean.innerStage().toCompletableFuture().cancel(true);
        awaitFree();
        FutureTask<Object> late = new FutureTask<>(later.get(30, TimeUnit.SECONDS)::proceed);
        new Thread(late, "late").start();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> late.get(30, TimeUnit.SECONDS))
                .withMessageContaining("HF0507");
        assertThat(bean.most()).isZero();
    }

    /** The two would run at once. */
    @Test
    void attempt_whileTheStageOfTheFirstGoesOn_doesNotRun() {
        way = call -> {
            Object first = call.proceed();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(call::proceed)
                    .withMessageContaining("HF0507");
            return first;
        };
        CompletionStage<String> result = bean.innerStage();
        bean.complete();
        assertThat(result.toCompletableFuture()).succeedsWithin(30, TimeUnit.SECONDS);
        awaitFree();
    }
}
