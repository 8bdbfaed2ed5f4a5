// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import org.jspecify.annotations.Nullable;

/** Fills the heap of this process, to the last few bytes. */
final class HeapFilling {

    /** Arrays, each with the one before. */
    private static volatile Object @Nullable [] filling;

    private HeapFilling() {}

    static void fill() {
        for (int length = 1 << 18; length > 0; ) {
            try {
                Object[] more = new Object[length];
                more[0] = filling;
                filling = more;
            } catch (OutOfMemoryError e) {
                length /= 8; // each refusal costs a collection
            }
        }
    }

    static void empty() {
        filling = null;
    }
}
