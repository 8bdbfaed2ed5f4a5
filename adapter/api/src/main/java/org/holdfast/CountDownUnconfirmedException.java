// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/**
 * Too few nodes confirmed that a latch was counted down, and some may have recorded it: it counts, or does not. It is
 * not sent again. To repeat it under the same {@linkplain #id() id} counts once.
 */
public final class CountDownUnconfirmedException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String id;

    /**
     * @param latch the latch, for people
     * @param id the id of the call
     * @param failures what happened at the nodes that did not confirm it
     */
    public CountDownUnconfirmedException(String latch, String id, String failures) {
        super("HF0221: " + latch + ": it is not known whether the call '" + id + "' counts: " + failures);
        this.id = id;
    }

    /** {@return the id under which to {@linkplain DistributedLatch#countDown(String) repeat} it} */
    public String id() {
        return id;
    }
}
