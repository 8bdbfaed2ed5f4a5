// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.lang.reflect.Constructor;
import org.holdfast.LockConnectionFactory;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test its own {@link TestLocks}, closed after the test: JUnit 5 hands it to parameters of the type
 * {@link TestLocks} or {@link LockConnectionFactory} of test methods, and of methods that run before and after each of
 * them. A constructor gets none: it may belong to several tests.
 *
 * <pre>{@code
 * @ExtendWith(HoldfastExtension.class)
 * class InvoicesTest {
 *     @Test
 *     void pay_leaseIsLost_nothingIsPaid(TestLocks locks) { ... }
 * }
 * }</pre>
 */
public final class HoldfastExtension implements ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(HoldfastExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        boolean ofTest = !(parameter.getDeclaringExecutable() instanceof Constructor)
                && context.getTestMethod().isPresent();
        return ofTest && (type == TestLocks.class || type == LockConnectionFactory.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestLocks locks = context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(TestLocks.class, type -> TestLocks.create(), TestLocks.class);
        return parameter.getParameter().getType() == TestLocks.class ? locks : locks.factory();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestLocks locks = context.getStore(NAMESPACE).remove(TestLocks.class, TestLocks.class);
        if (locks != null) {
            locks.close();
        }
    }
}
