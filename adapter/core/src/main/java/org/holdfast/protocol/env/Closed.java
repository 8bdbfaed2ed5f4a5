// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

/** What the application receives if it uses what it has closed. */
public final class Closed {

    private Closed() {}

    public static IllegalStateException connection() {
        return new IllegalStateException("HF0222: this lock connection is closed: open another from the factory, and"
                + " close it after the work under its locks");
    }

    public static IllegalStateException factory() {
        return new IllegalStateException(
                "HF0223: this factory is closed: open it once for an application, and close it" + " when that ends");
    }
}
