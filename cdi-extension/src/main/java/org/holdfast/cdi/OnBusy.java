// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

/** What becomes of a call while another holder has the lock. */
public enum OnBusy {

    /**
     * It waits, for as long as {@link Locked#waitTimeout()} says, and fails then with a {@link
     * org.holdfast.LockTimeoutException}.
     */
    WAIT,

    /** It fails at once with a {@link org.holdfast.LockTimeoutException}. */
    FAIL,

    /**
     * It returns without having run: for jobs that several servers start at the same time and one is to do. Only on
     * methods that return nothing, an {@link java.util.Optional} (which is empty then) or a boolean (false). A lock of
     * which nothing can be learned, because too few nodes answer, is an exception all the same.
     */
    SKIP
}
