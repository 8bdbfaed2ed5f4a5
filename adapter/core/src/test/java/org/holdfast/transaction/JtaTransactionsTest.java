// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.LockException;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that only logs what a synchronization throws, and commits unless it was told otherwise. */
class JtaTransactionsTest {

    private final List<String> told = new ArrayList<>();
    private Synchronization registered;

    private final TransactionSynchronizationRegistry registry =
            (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                    TransactionSynchronizationRegistry.class.getClassLoader(),
                    new Class<?>[] {TransactionSynchronizationRegistry.class},
                    (proxy, method, args) -> {
                        told.add(method.getName());
                        if (args != null) {
                            registered = (Synchronization) args[0];
                        }
                        return null;
                    });

    static Stream<Throwable> failures() {
        return Stream.of(
                new LockException("lost"),
                new UncheckedIOException(new IOException("the selector is broken")),
                new NoClassDefFoundError("the adapter was undeployed"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void transaction_whoseLeasesCannotBeLookedAt_isMarkedForRollback(Throwable failure) {
        new JtaTransactions(registry).bind(new Transactions.Completion() {
            @Override
            public void confirm() {
                JtaTransactionsTest.<RuntimeException>fail(failure);
            }

            @Override
            public void completed() {}
        });
        assertThatThrownBy(() -> registered.beforeCompletion()).isSameAs(failure);
        assertThat(told).containsExactly("registerInterposedSynchronization", "setRollbackOnly");
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void fail(Throwable failure) throws X {
        throw (X) failure;
    }
}
