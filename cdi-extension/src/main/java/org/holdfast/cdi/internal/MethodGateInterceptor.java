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
import org.jspecify.annotations.Nullable;

/**
 * Lets a thread into the method only under its lock, and sees when the method is left and what it returns.
 *
 * <p>Its priority puts it inside of all others: any of them may run the rest on another thread, give that up, or come
 * twice, as those of MicroProfile Fault Tolerance do.
 */
@Locked("")
@Interceptor
@Priority(Integer.MAX_VALUE)
public class MethodGateInterceptor implements Serializable {

    private static final long serialVersionUID = 1L;

    @AroundInvoke
    @AroundTimeout
    @Nullable
    Object run(InvocationContext context) throws Exception {
        LockedInvocation invocation = LockedInvocation.enter(context);
        try {
            Object result = context.proceed();
            invocation.returned(result);
            return result;
        } finally {
            invocation.leave();
        }
    }
}
