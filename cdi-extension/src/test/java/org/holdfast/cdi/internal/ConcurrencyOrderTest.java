// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.annotation.Priority;
import jakarta.ejb.Stateless;
import jakarta.enterprise.concurrent.Asynchronous;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.holdfast.Lease;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The order beside what Jakarta Concurrency has at the priorities that it says. Its annotation {@code @Asynchronous} is
 * the real one; {@code @Lock} of version 3.2, which no server has yet, is a copy. Servers have the real interceptors:
 * {@code LockedIT}, {@code AsynchronousScheduleIT}.
 */
class ConcurrencyOrderTest extends Application {

    private static final String LOCK = "ordered";
    private static final String PRIORITY = "mp.fault.tolerance.interceptor.priority";
    private static final List<String> SEEN = new CopyOnWriteArrayList<>();
    private static CountDownLatch begun;
    private static CountDownLatch mayEnd;

    @BeforeEach
    void forget() {
        SEEN.clear();
        begun = new CountDownLatch(1);
        mayEnd = new CountDownLatch(1);
    }

    private static void see(String what) {
        SEEN.add(what + (isHeld(LOCK) ? ", locked" : ", free"));
    }

    /** Runs the method on another thread, as the interceptor of a server does. */
    private static Object submit(InvocationContext context, int times) {
        CompletableFuture<Object> result = CompletableFuture.supplyAsync(() -> {
            Object last = null;
            for (int time = 0; time < times; time++) {
                see("run");
                last = proceed(context);
            }
            return last;
        });
        see("submitted");
        return context.getMethod().getReturnType() == void.class
                ? null
                : result.thenCompose(future -> (CompletableFuture<?>) future);
    }

    private static Object proceed(InvocationContext context) {
        try {
            return context.proceed();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Asynchronous
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 5)
    public static class Submitting {
        @AroundInvoke
        Object run(InvocationContext context) {
            return submit(context, 1);
        }
    }

    /** As for {@code runAt} of version 3.1: one interception, and several runs. */
    @Asynchronous
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 5)
    public static class Scheduling {
        @AroundInvoke
        Object run(InvocationContext context) {
            return submit(context, 3);
        }
    }

    /** Not where the specification wants it. */
    @Asynchronous
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
    public static class SubmittingTooLate {
        @AroundInvoke
        Object run(InvocationContext context) {
            return submit(context, 1);
        }
    }

    /** {@code jakarta.enterprise.concurrent.Lock} of version 3.2, as far as order goes. */
    @InterceptorBinding
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface LockOfTheBean {}

    @LockOfTheBean
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
    public static class LockingTheBean {
        @AroundInvoke
        Object lock(InvocationContext context) throws Exception {
            see("bean locked");
            try {
                return context.proceed();
            } finally {
                see("bean unlocked");
            }
        }
    }

    @ApplicationScoped
    public static class Work {

        @Inject
        private Lease lease; // that of the method, on the thread that has it

        @Inject
        private BeanManager beans;

        private void run() {
            see("work " + (lease.isHeld() ? "under its lease" : "without"));
            begun.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Asynchronous
        @Locked(LOCK)
        public void nothing() {
            run();
        }

        @Asynchronous
        @Locked(LOCK)
        public CompletableFuture<String> something() {
            run();
            return CompletableFuture.completedFuture("done");
        }

        @LockOfTheBean
        @Locked(LOCK)
        public void alone() {
            see("work");
        }

        @ActivateRequestContext
        @Locked(LOCK)
        public void inARequest() {}

        void hear(@Observes LeaseAcquired event) {
            if (event.method().getName().equals("inARequest")) {
                SEEN.add("acquired, request " + (isRequestActive() ? "active" : "not active"));
            }
        }

        private boolean isRequestActive() {
            try {
                return beans.getContext(RequestScoped.class).isActive();
            } catch (ContextNotActiveException e) {
                return false;
            }
        }
    }

    private Work deployed(Class<?>... interceptors) {
        return deploy(Work.class, interceptors);
    }

    @Test
    void asynchronous_methodWithoutAResult_isLockedByTheThreadThatRunsIt_untilItHasRun() throws Exception {
        deployed(Submitting.class).nothing();
        begun.await();
        assertThat(SEEN).contains("run, free", "work under its lease, locked");
        assertThat(isHeld(LOCK)).as("the thread that submitted it has gone on").isTrue();
        mayEnd.countDown();
        await().until(() -> !isHeld(LOCK));
    }

    @Test
    void asynchronous_methodWithAFuture_isLockedByTheThreadThatRunsIt_untilItIsDone() throws Exception {
        CompletableFuture<String> result = deployed(Submitting.class).something();
        begun.await();
        assertThat(SEEN).contains("run, free", "work under its lease, locked");
        assertThat(isHeld(LOCK)).isTrue();
        mayEnd.countDown();
        assertThat(result.join()).isEqualTo("done");
        await().until(() -> !isHeld(LOCK));
    }

    @Test
    void asynchronous_methodThatIsRunTimeAndAgain_takesItsLockEachTime() throws Exception {
        mayEnd.countDown();
        deployed(Scheduling.class).nothing();
        await().until(() -> SEEN.size() == 7);
        assertThat(SEEN)
                .filteredOn(seen -> !seen.startsWith("submitted"))
                .containsExactly(
                        "run, free",
                        "work under its lease, locked",
                        "run, free",
                        "work under its lease, locked",
                        "run, free",
                        "work under its lease, locked");
        await().until(() -> !isHeld(LOCK));
    }

    @Test
    void asynchronous_insideTheLock_isNotDeployed() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deployed(SubmittingTooLate.class))
                .withMessageContainingAll(
                        "HF0501",
                        "2 faults",
                        "Work.nothing()",
                        "Work.something()",
                        "which only the thread that submits it would take",
                        "SubmittingTooLate");
    }

    @Timeout
    @ApplicationScoped
    public static class Limited {
        @Locked(LOCK)
        @org.eclipse.microprofile.faulttolerance.Asynchronous
        public CompletionStage<String> goesOn() {
            return CompletableFuture.completedFuture("done");
        }

        @Locked(LOCK)
        public void isAwaited() {}

        @org.eclipse.microprofile.faulttolerance.Asynchronous
        public CompletionStage<String> withoutALock() {
            return goesOn();
        }
    }

    /** Fault Tolerance completes the stage when the time is over, and the method goes on. */
    @Test
    void asynchronous_withATimeLimitInsideTheLock_isNotDeployed() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Limited.class))
                .withMessageContainingAll(
                        "HF0501",
                        "Limited.goesOn()",
                        "when its time is over",
                        "mp.fault.tolerance.interceptor.priority=50")
                .withMessageNotContainingAny("isAwaited", "withoutALock");
    }

    @Stateless
    @ApplicationScoped
    public static class Repeated {
        @Locked(LOCK)
        @Retry
        @org.eclipse.microprofile.faulttolerance.Asynchronous
        public CompletionStage<String> again() {
            return CompletableFuture.completedFuture("done");
        }
    }

    /** The interceptors of a session bean are passed once by attempts on several threads. */
    @Test
    void asynchronous_sessionBeanWithRetriesOutsideTheLock_isNotDeployed() {
        deploy(Repeated.class).again();
        System.setProperty(PRIORITY, "50");
        try {
            assertThatExceptionOfType(DeploymentException.class)
                    .isThrownBy(() -> deploy(Repeated.class))
                    .withMessageContainingAll("HF0501", "Repeated.again()", "when Fault Tolerance tries again");
        } finally {
            System.clearProperty(PRIORITY);
        }
    }

    @Test
    void asynchronous_withATimeLimitOutsideTheLock_isDeployed() {
        System.setProperty(PRIORITY, "50");
        try {
            assertThat(deploy(Limited.class).goesOn()).isCompletedWithValue("done");
        } finally {
            System.clearProperty(PRIORITY);
        }
    }

    /** What is not there is ignored, and the calling thread runs the method. */
    @Test
    void asynchronous_onAServerWithoutIt_isLockedByTheCaller() {
        mayEnd.countDown();
        deployed().nothing();
        assertThat(SEEN).containsExactly("work under its lease, locked");
        assertThat(isHeld(LOCK)).isFalse();
    }

    @Test
    void lockOfTheBean_isTakenFirstAndReleasedLast() {
        deployed(LockingTheBean.class).alone();
        assertThat(SEEN).containsExactly("bean locked, free", "work, locked", "bean unlocked, free");
    }

    @Test
    void requestContext_isActiveWhenTheLockIsTaken() throws Exception {
        Work work = deployed();
        Thread withoutRequest = new Thread(work::inARequest);
        withoutRequest.start();
        withoutRequest.join();
        assertThat(SEEN).containsExactly("acquired, request active");
    }
}
