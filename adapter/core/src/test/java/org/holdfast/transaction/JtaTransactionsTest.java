// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.LockException;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that only logs what a synchronization throws, and commits unless it was told otherwise. */
class JtaTransactionsTest {

    private final List<String> told = new ArrayList<>();
    private final List<Synchronization> inOrder = new ArrayList<>();
    private Synchronization registered;
    private boolean isClosed;

    private final TransactionSynchronizationRegistry registry =
            (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                    TransactionSynchronizationRegistry.class.getClassLoader(),
                    new Class<?>[] {TransactionSynchronizationRegistry.class},
                    (proxy, method, args) -> {
                        if (isClosed) {
                            throw new IllegalStateException("about to complete");
                        }
                        told.add(method.getName());
                        if (args != null) {
                            registered = (Synchronization) args[0];
                            inOrder.add(registered);
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

    /** As JPA writes what entities have changed: it may take so long that a lease is lost meanwhile. */
    @Test
    void transaction_whoseLeaseIsLostByAWriteBeforeCompletion_isMarkedForRollback() {
        LockException lost = new LockException("lost");
        int[] checks = new int[1];
        new JtaTransactions(registry).bind(new Transactions.Completion() {
            @Override
            public void confirm() {
                if (++checks[0] == 2) {
                    throw lost;
                }
            }

            @Override
            public void completed() {}
        });
        Synchronization first = registered;
        first.beforeCompletion();
        assertThat(registered).as("behind what was registered since").isNotSameAs(first);
        assertThatThrownBy(() -> registered.beforeCompletion()).isSameAs(lost);
        assertThat(told).endsWith("setRollbackOnly");
    }

    /** A synchronization may register another one when it is called, and that one a third: behind our second check. */
    @Test
    void transaction_whoseSynchronizationsRegisterOthers_isCheckedBehindEachOfThemUpToABound() {
        int[] checks = new int[1];
        new JtaTransactions(registry).bind(new Transactions.Completion() {
            @Override
            public void confirm() {
                checks[0]++;
            }

            @Override
            public void completed() {}
        });
        for (int i = 1; i < JtaTransactions.CHECKS; i++) {
            Synchronization before = registered;
            before.beforeCompletion();
            assertThat(registered).as("behind what was registered meanwhile").isNotSameAs(before);
        }
        Synchronization last = registered;
        last.beforeCompletion();
        assertThat(registered).as("no more: it would never end").isSameAs(last);
        assertThat(checks[0]).isEqualTo(JtaTransactions.CHECKS);
    }

    @Test
    void transaction_whoseLeaseIsLostInASynchronizationThatAnotherHasRegistered_isMarkedForRollback() {
        LockException lost = new LockException("lost");
        boolean[] isLost = new boolean[1];
        new JtaTransactions(registry).bind(new Transactions.Completion() {
            @Override
            public void confirm() {
                if (isLost[0]) {
                    throw lost;
                }
            }

            @Override
            public void completed() {}
        });
        beforeCompletion(() -> beforeCompletion(() -> isLost[0] = true));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < inOrder.size(); i++) { // each may register another one
                        inOrder.get(i).beforeCompletion();
                    }
                })
                .isSameAs(lost);
        assertThat(told).endsWith("setRollbackOnly");
    }

    private void beforeCompletion(Runnable work) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    @Test
    void transaction_thatTakesNoMoreSynchronizations_isCheckedOnce() {
        int[] checks = new int[1];
        new JtaTransactions(registry).bind(new Transactions.Completion() {
            @Override
            public void confirm() {
                checks[0]++;
            }

            @Override
            public void completed() {}
        });
        isClosed = true;
        registered.beforeCompletion();
        assertThat(checks[0]).isOne();
        assertThat(told).doesNotContain("setRollbackOnly");
    }

    /** A server may keep for ever what was registered with a transaction that timed out. */
    @Test
    void transaction_thatHasEnded_keepsNothingOfItsLeases() {
        new JtaTransactions(registry).bind(new Counted());
        Synchronization kept = registered;
        kept.beforeCompletion();
        Synchronization second = registered;
        WeakReference<Counted> leases = new WeakReference<>(Counted.last);
        Counted.last = null;
        second.afterCompletion(Status.STATUS_ROLLEDBACK);
        kept.afterCompletion(Status.STATUS_ROLLEDBACK);
        kept.afterCompletion(Status.STATUS_ROLLEDBACK);
        assertThat(Counted.ends).isOne();
        await().until(() -> {
            System.gc();
            return leases.get() == null;
        });
        assertThatIllegalStateException().isThrownBy(kept::beforeCompletion);
        assertThatIllegalStateException().isThrownBy(second::beforeCompletion);
    }

    private static final class Counted implements Transactions.Completion {

        private static Counted last;
        private static int ends;

        private Counted() {
            last = this;
        }

        @Override
        public void confirm() {}

        @Override
        public void completed() {
            ends++;
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void fail(Throwable failure) throws X {
        throw (X) failure;
    }
}
