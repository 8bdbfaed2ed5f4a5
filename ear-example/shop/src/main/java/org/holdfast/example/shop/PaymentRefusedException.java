// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

/** The customer could not pay after all. Unchecked, so the transaction rolls back. */
public class PaymentRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PaymentRefusedException() {
        super("payment refused, nothing sold");
    }
}
