// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import org.jspecify.annotations.Nullable;

/**
 * Submits tasks to the container without the context class loader of the submitting thread.
 *
 * <p>A container captures the context of that thread for the task. Open Liberty remembers each context class loader
 * that it captured, until the application of the thread stops: {@code
 * ThirdPartyContextCoordinator.providersPerClassLoader}. An adapter of an EAR is stopped after its application, and
 * renews and releases leases meanwhile. What a task of that time was submitted with would stay for ever, and the
 * classes of the adapter with it. So the container captures the system class loader, and the task itself sets that of
 * the submitting thread while it runs.
 */
final class Submission {

    /** What takes a task. */
    interface Container<R, E extends Exception> {
        R take(Runnable task) throws E;
    }

    private Submission() {}

    /** Returns what the container returns. */
    static <R, E extends Exception> R submit(Runnable task, Container<R, E> container) throws E {
        @Nullable ClassLoader submitters = Thread.currentThread().getContextClassLoader();
        try (ContextLoader systems = new ContextLoader(ClassLoader.getSystemClassLoader())) {
            return container.take(() -> {
                try (ContextLoader own = new ContextLoader(submitters)) {
                    task.run();
                }
            });
        }
    }

    /** The context class loader of the current thread, until this is closed. */
    private static final class ContextLoader implements AutoCloseable {

        private final @Nullable ClassLoader before = Thread.currentThread().getContextClassLoader();

        ContextLoader(@Nullable ClassLoader loader) {
            Thread.currentThread().setContextClassLoader(loader);
        }

        @Override
        public void close() {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
