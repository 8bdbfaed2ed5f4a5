// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Adds to the failure of a test that the server's process did not run for so long meanwhile that a lease ended: the
 * machine was too busy then, and the failure may come of nothing else. The test stays red. JUnit finds this class by
 * itself, for all tests.
 */
public final class PauseReport implements BeforeTestExecutionCallback, TestExecutionExceptionHandler {

    private static final Namespace STORE = Namespace.create(PauseReport.class);

    @Override
    public void beforeTestExecution(ExtensionContext test) throws Exception {
        test.getStore(STORE).put(ServerLog.class, ServerLog.fromNow());
    }

    @Override
    public void handleTestExecutionException(ExtensionContext test, Throwable failure) throws Throwable {
        ServerLog log = test.getStore(STORE).get(ServerLog.class, ServerLog.class);
        Optional<String> pause = log == null ? Optional.empty() : log.pause();
        if (pause.isPresent()) {
            throw new AssertionError(
                    "THE SERVER'S PROCESS PAUSED, so this may say nothing of what was tested: " + failure.getMessage()
                            + ". The server reported: " + pause.get(),
                    failure);
        }
        throw failure;
    }
}
