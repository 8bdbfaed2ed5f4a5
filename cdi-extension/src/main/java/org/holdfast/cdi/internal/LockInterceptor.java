// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.AroundTimeout;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.invocation.LockedInvocation;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.jspecify.annotations.Nullable;

/**
 * Takes the lock, runs the method, releases the lock.
 *
 * <p>Its priority puts it outside {@code @Transactional} (which is {@code PLATFORM_BEFORE + 200}): the transaction
 * begins and completes under the lock. It is inside {@code @Asynchronous} of Jakarta Concurrency (+5), so the thread
 * that
 * runs the method takes the lock; and inside {@code @Lock} of Jakarta Concurrency 3.2 and {@code
 * @ActivateRequestContext} (both +100), for two interceptors of one priority come in no certain order. The connection
 * is returned before the method runs, so that a long method keeps
 * no socket.
 *
 * <p>Serializable, so that passivating beans may be locked.
 */
@Locked("")
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 110)
public class LockInterceptor implements Serializable {

    private static final long serialVersionUID = 1L;

    @Inject
    private BeanManager beans;

    /** Of the application that is running: looked up anew after a passivation. */
    private transient @Nullable LockExtension extension;

    @AroundInvoke
    @AroundTimeout
    @Nullable
    Object lock(InvocationContext context) throws Exception {
        if (LockedInvocation.isUnderWay(context)) {
            return context.proceed();
        }
        if (extension == null) {
            extension = beans.getExtension(LockExtension.class);
        }
        LockedOperation operation = extension.targets().of(context.getTarget(), context.getMethod());
        return new LockedInvocation(extension.services(), operation, context).run();
    }
}
