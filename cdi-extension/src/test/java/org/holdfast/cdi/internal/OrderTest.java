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
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;

/** Which interceptor is outside of which. The transaction is only a priority here; tests on servers have real ones. */
class OrderTest extends Application {

    private static final List<String> SEEN = new ArrayList<>();

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
}
