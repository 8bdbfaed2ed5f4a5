// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

/** What becomes of a call whose lock is lost while it runs. */
public enum OnLoss {

    /**
     * Its transaction does not commit, and the caller gets a {@link org.holdfast.LeaseLostException}: as the cause of
     * what the server throws where there is a transaction, else after the method has returned. A loss while the
     * resources prepare and commit comes too late to stop them: then it is thrown after the commit.
     */
    ROLLBACK,

    /**
     * As {@link #ROLLBACK}, and the thread is interrupted at once; an interrupt it has not noticed by the end is taken
     * back.
     */
    INTERRUPT,

    /**
     * It goes on, and only the {@link org.holdfast.Lease} and the event {@link LeaseLost} report the loss: where the
     * work may be done twice, or the resource refuses old tokens. Needs {@link LockScope#INVOCATION}, for no
     * transaction that keeps a lock commits without it.
     */
    CONTINUE
}
