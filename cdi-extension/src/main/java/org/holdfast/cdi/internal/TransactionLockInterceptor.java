// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.AroundTimeout;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.invocation.LockedInvocation;

/**
 * Shares the lock with the transaction that {@code @Transactional} has begun under it, so that it does not commit if
 * the lock was lost. Costs no round trip and no connection.
 *
 * <p>Its priority puts it just inside {@code @Transactional}.
 */
@Locked("")
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 210)
public class TransactionLockInterceptor implements Serializable {

    private static final long serialVersionUID = 1L;

    @AroundInvoke
    @AroundTimeout
    Object bind(InvocationContext context) throws Exception {
        LockedInvocation invocation = LockedInvocation.of(context);
        invocation.joinTransaction();
        Object result;
        try {
            result = context.proceed();
        } catch (Exception e) { // the transaction may commit all the same
            confirm(invocation, e);
            throw e;
        }
        invocation.confirmBeforeCommit();
        return result;
    }

    private static void confirm(LockedInvocation invocation, Exception thrown) {
        try {
            invocation.confirmBeforeCommit();
        } catch (RuntimeException e) {
            e.addSuppressed(thrown);
            throw e;
        }
    }
}
