// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Transactions as a test sees them: one at a time, which it begins and ends by hand, or by an interceptor. */
final class TransactionsByHand {

    static final List<Synchronization> REGISTERED = new ArrayList<>();
    static int status;
    static String key = "transaction";
    static boolean isMarked;
    static Runnable whileCommitting = () -> {};

    private TransactionsByHand() {}

    /** There is none now. */
    static void reset() {
        status = Status.STATUS_NO_TRANSACTION;
        key = "transaction";
        isMarked = false;
        whileCommitting = () -> {};
        REGISTERED.clear();
    }

    /** Has work done before the transaction commits, as JPA writes its changes then. */
    static void beforeCompletion(Runnable work) {
        REGISTERED.add(new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int outcome) {}
        });
    }

    static void afterCompletion(Runnable work) {
        REGISTERED.add(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int outcome) {
                work.run();
            }
        });
    }

    static void end() {
        status = Status.STATUS_NO_TRANSACTION;
        List<Synchronization> ended = List.copyOf(REGISTERED);
        REGISTERED.clear();
        ended.forEach(each -> each.afterCompletion(Status.STATUS_COMMITTED));
    }

    static TransactionSynchronizationRegistry registry() {
        return (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                TransactionsByHand.class.getClassLoader(),
                new Class<?>[] {TransactionSynchronizationRegistry.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getTransactionStatus" -> status;
                    case "getTransactionKey" -> status == Status.STATUS_NO_TRANSACTION ? null : key;
                    case "registerInterposedSynchronization" ->
                        REGISTERED.add((Synchronization) arguments[0]) ? null : null;
                    case "setRollbackOnly" -> {
                        isMarked = true;
                        status = Status.STATUS_MARKED_ROLLBACK;
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface InTransaction {}

    /** Where {@code @Transactional} is. */
    @InTransaction
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 200)
    public static class Transaction {
        @AroundInvoke
        Object bracket(InvocationContext context) throws Exception {
            int statusBefore = status;
            String keyBefore = key;
            int others = REGISTERED.size(); // those of the transaction that this one suspends
            status = Status.STATUS_ACTIVE;
            key = "begun";
            int[] outcome = {Status.STATUS_ROLLEDBACK};
            try {
                Object result = context.proceed();
                for (int i = others; i < REGISTERED.size(); i++) { // each may register another one
                    REGISTERED.get(i).beforeCompletion();
                }
                whileCommitting.run();
                outcome[0] = Status.STATUS_COMMITTED;
                return result;
            } finally {
                List<Synchronization> own = REGISTERED.subList(others, REGISTERED.size());
                own.forEach(each -> each.afterCompletion(outcome[0]));
                own.clear();
                status = statusBefore;
                key = keyBefore;
            }
        }
    }
}
