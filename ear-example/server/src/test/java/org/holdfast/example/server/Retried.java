// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Once more after an exception, outside the lock and the transaction. */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Retried {

    /** Where {@code mp.fault.tolerance.interceptor.priority} may put retries. */
    @Retried
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 50)
    class Retry {
        @AroundInvoke
        Object retry(InvocationContext context) throws Exception {
            try {
                return context.proceed();
            } catch (UnsupportedOperationException e) {
                return context.proceed();
            }
        }
    }
}
