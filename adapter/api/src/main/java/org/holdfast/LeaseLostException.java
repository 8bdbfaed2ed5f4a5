// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/** The lease that was needed has been lost. */
public final class LeaseLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseLoss loss;

    /**
     * Reports that a lease was lost.
     *
     * @param loss what was lost, when and why
     */
    public LeaseLostException(LeaseLoss loss) {
        super("HF0203: " + loss);
        this.loss = loss;
    }

    /** {@return what was lost, when and why; null if this exception was deserialized} */
    public LeaseLoss loss() {
        return loss;
    }
}
