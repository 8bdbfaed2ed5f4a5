// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.cdi.Locked;

/**
 * Takes the lock, runs the method, gives the lock back.
 *
 * <p>Its priority puts it outside {@code @Transactional} (which is {@code PLATFORM_BEFORE + 200}): the transaction begins
 * and completes under the lock. The connection is given back before the method runs, so that a long method keeps no socket.
 */
@Locked("")
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
public class LockInterceptor {

    private final LockExtension extension;

    @Inject
    LockInterceptor(BeanManager beans) {
        this.extension = beans.getExtension(LockExtension.class);
    }

    @AroundInvoke
    Object aroundInvoke(InvocationContext context) throws Exception {
        LockedOperation operation = extension.operations().of(context.getTarget(), context.getMethod());
        try (Lease lease = acquire(operation.request(context.getParameters()))) {
            return context.proceed();
        }
    }

    private Lease acquire(LockRequest request) {
        try (LockConnection connection = extension.factory().getConnection()) {
            return connection.acquire(request);
        } catch (InterruptedException e) { // the method need not declare it
            Thread.currentThread().interrupt();
            throw new LockException("interrupted while waiting for lock '" + request.name() + "'", e);
        }
    }
}
