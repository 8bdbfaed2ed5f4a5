// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import org.holdfast.LockException;
import org.jspecify.annotations.Nullable;

/** The transactions of the environment. */
public interface Transactions {

    /** No transactions at all. */
    Transactions NONE = new Transactions() {
        @Override
        public @Nullable Object current() {
            return null;
        }

        @Override
        public boolean mayCommit() {
            return false;
        }

        @Override
        public Binding bind(Completion completion) {
            throw new IllegalStateException("there are no transactions here");
        }
    };

    /** Returns the key of the calling thread's transaction, also if it can only roll back; null if there is none. */
    @Nullable
    Object current();

    /** Returns whether the calling thread's transaction may still commit. */
    boolean mayCommit();

    /**
     * Asks to be called when the calling thread's transaction completes.
     *
     * @return what can be asked whether it has ended, should it not call
     * @throws IllegalStateException if there is none, or if it does not take part any more
     */
    Binding bind(Completion completion);

    /** A transaction that was asked to call. Safe for use by any number of threads. */
    interface Binding {

        /** Of a transaction that cannot be asked. */
        Binding SILENT = new Binding() {
            @Override
            public boolean isOver() {
                return false;
            }

            @Override
            public void forget() {}
        };

        /**
         * Returns whether the transaction is known to have been committed or rolled back. It may be about to call.
         * Neither blocks nor throws.
         */
        boolean isOver();

        /** Keeps nothing of the completion any more: it is not called. */
        void forget();
    }

    /** What is called, on any thread. */
    interface Completion {

        /**
         * Before completion.
         *
         * @throws LockException if the transaction must roll back, with the reason
         */
        void confirm();

        /** After a commit, and before {@link #completed}. */
        default void committed() {}

        /** After completion, whatever its outcome. */
        void completed();
    }
}
