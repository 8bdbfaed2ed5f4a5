// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import org.holdfast.testkit.FreePort;

/** Ports in a row that no process listens on. */
final class FreePorts {

    private static final int ATTEMPTS = 100;

    private FreePorts() {}

    /** Returns the first of so many. */
    static int inARow(int count) throws IOException {
        for (int attempt = 1; ; attempt++) {
            int first = FreePort.find();
            try {
                Ports.requireFree(first, count - 1);
                return first;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
