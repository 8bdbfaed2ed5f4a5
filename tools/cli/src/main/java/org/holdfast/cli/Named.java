// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import org.holdfast.LockRequest;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which lock: options of all commands about one. */
final class Named {

    @Parameters(paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Option(
            names = "--permits",
            paramLabel = "NUMBER",
            defaultValue = "0",
            description = "For a semaphore: how many permits it has, as in the requests for it.")
    private int permits;

    LockRequest request() {
        return permits == 0 ? LockRequest.of(name) : LockRequest.semaphore(name, permits);
    }
}
