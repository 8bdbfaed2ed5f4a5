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
        public void bind(Completion completion) {
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
     * @throws IllegalStateException if there is none, or if it does not take part any more
     */
    void bind(Completion completion);

    /** What is called, on any thread. */
    interface Completion {

        /**
         * Before completion.
         *
         * @throws LockException if the transaction must roll back, with the reason
         */
        void confirm();

        /** After completion, whatever its outcome. */
        void completed();
    }
}
