// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports in a row that no process listens on. A server takes half a minute until it has its port, so they are none that
 * the operating system gives to others meanwhile.
 */
final class FreePorts {

    private static final int ATTEMPTS = 100;
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    private FreePorts() {}

    /** Returns the first of so many. */
    static int inARow(int count) throws IOException {
        for (int attempt = 1; ; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
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
