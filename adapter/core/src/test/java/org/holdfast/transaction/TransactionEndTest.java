// SPDX-License-Identifier: Apache-2.0
package org.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose transactions can be asked how they stand. */
class TransactionEndTest {

    private int status = Status.STATUS_ACTIVE;
    private Throwable failure;
    private int ends;
    private int commits;
    private RuntimeException ofCommit;
    private Synchronization registered;

    private final Transaction transaction = proxy(Transaction.class, (proxy, method, args) -> {
        if (failure != null) {
            throw failure;
        }
        return status;
    });

    private final TransactionManager manager = proxy(TransactionManager.class, (proxy, method, args) -> transaction);

    private final TransactionSynchronizationRegistry registry =
            proxy(TransactionSynchronizationRegistry.class, (proxy, method, args) -> {
                registered = (Synchronization) args[0];
                return null;
            });

    private final Transactions.Completion completion = new Transactions.Completion() {
        @Override
        public void confirm() {}

        @Override
        public void committed() {
            commits++;
            if (ofCommit != null) {
                throw ofCommit;
            }
        }

        @Override
        public void completed() {
            ends++;
        }
    };

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Transactions.Binding bind() {
        return new JtaTransactions(registry, new ServerTransactions(manager)).bind(completion);
    }

    @ParameterizedTest
    @ValueSource(ints = {Status.STATUS_COMMITTED, Status.STATUS_ROLLEDBACK, Status.STATUS_NO_TRANSACTION})
    void transaction_thatWasCommittedOrRolledBack_isOver(int ended) {
        Transactions.Binding binding = bind();
        status = ended;
        assertThat(binding.isOver()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Status.STATUS_ACTIVE,
                Status.STATUS_MARKED_ROLLBACK,
                Status.STATUS_PREPARING,
                Status.STATUS_PREPARED,
                Status.STATUS_COMMITTING,
                Status.STATUS_ROLLING_BACK,
                Status.STATUS_UNKNOWN,
                99
            })
    void transaction_ofAnyOtherStatus_isNotOver(int open) {
        Transactions.Binding binding = bind();
        status = open;
        assertThat(binding.isOver()).isFalse();
    }

    @Test
    void transaction_thatCannotTell_isNotOver() {
        Transactions.Binding binding = bind();
        status = Status.STATUS_COMMITTED;
        failure = new SystemException("its log is gone");
        assertThat(binding.isOver()).isFalse();
        failure = new IllegalStateException("unknown");
        assertThat(binding.isOver()).isFalse();
        failure = new NoClassDefFoundError("undeployed");
        assertThat(binding.isOver()).isFalse();
    }

    @Test
    void transaction_thatIsForgotten_isNeitherAskedNorCallsAnyMore() {
        Transactions.Binding binding = bind();
        status = Status.STATUS_COMMITTED;
        binding.forget();
        assertThat(binding.isOver()).isFalse();
        registered.afterCompletion(Status.STATUS_COMMITTED);
        assertThat(ends).isZero();
        assertThatIllegalStateException().isThrownBy(registered::beforeCompletion);
    }

    @Test
    void transaction_thatHasCalled_isNotAskedAnyMore() {
        Transactions.Binding binding = bind();
        status = Status.STATUS_COMMITTED;
        registered.afterCompletion(Status.STATUS_COMMITTED);
        assertThat(ends).isOne();
        assertThat(binding.isOver()).isFalse();
    }

    @Test
    void transaction_tellsOfItsCommitBeforeItsEnd_whateverComesOfThat() {
        bind();
        ofCommit = new IllegalStateException("a test");
        assertThatIllegalStateException().isThrownBy(() -> registered.afterCompletion(Status.STATUS_COMMITTED));
        assertThat(commits).isOne();
        assertThat(ends).isOne();
    }

    @Test
    void transaction_thatHasRolledBack_tellsOfNoCommit() {
        bind();
        registered.afterCompletion(Status.STATUS_ROLLEDBACK);
        assertThat(commits).isZero();
        assertThat(ends).isOne();
    }

    @Test
    void transactions_ofAServerWithoutANameForItsManager_cannotBeAsked() {
        assertThat(new JtaTransactions(registry).bind(completion)).isSameAs(Transactions.Binding.SILENT);
    }
}
