// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.CompletionStage;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.jspecify.annotations.Nullable;

/** Outside {@code @Transactional}, which is {@code PLATFORM_BEFORE + 200}: the lock is released after the commit. */
@OneAtATime("")
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 110)
class OneAtATimeInterceptor {

    private final LockConnectionFactory locks;

    @Inject
    OneAtATimeInterceptor(LockConnectionFactory locks) {
        this.locks = locks;
    }

    @AroundInvoke
    @Nullable
    Object lock(InvocationContext call) throws Exception {
        Class<?> result = call.getMethod().getReturnType();
        if (Uni.class.isAssignableFrom(result) || CompletionStage.class.isAssignableFrom(result)) {
            throw new IllegalStateException("the work goes on when this method has returned: " + call.getMethod());
        }
        String name = call.getInterceptorBinding(OneAtATime.class).value();
        try (LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire(name)) {
            Object done = call.proceed();
            lease.requireHeld();
            return done;
        }
    }
}
