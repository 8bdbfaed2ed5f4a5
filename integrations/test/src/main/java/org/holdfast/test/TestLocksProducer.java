// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.Map;
import org.holdfast.LockConnectionFactory;

/**
 * The factory of the application in a test with CDI: {@code @Locked} takes its locks from {@link TestLocks}, which can
 * be injected. It takes the place of every other factory. If there is a bean of the type
 * {@link TransactionSynchronizationRegistry} its transactions are honoured.
 *
 * <p>Found in each bean archive scan of a test; with Weld's JUnit extension it is named among the bean classes.
 */
@ApplicationScoped
@Alternative
@Priority(Interceptor.Priority.APPLICATION)
public class TestLocksProducer {

    /**
     * {@return new locks, for the life of the container}
     *
     * @param registries of the test's transaction manager, if it has one
     */
    @Produces
    @Singleton
    public TestLocks locks(Instance<TransactionSynchronizationRegistry> registries) {
        return registries.isResolvable() ? TestLocks.create(Map.of(), registries.get()) : TestLocks.create();
    }

    /**
     * Closes the locks with the container.
     *
     * @param locks that were produced
     */
    public void close(@Disposes TestLocks locks) {
        locks.close();
    }

    /**
     * {@return the factory that the application uses}
     *
     * @param locks of this container
     */
    @Produces
    @Singleton
    public LockConnectionFactory factory(TestLocks locks) {
        return locks.factory();
    }
}
