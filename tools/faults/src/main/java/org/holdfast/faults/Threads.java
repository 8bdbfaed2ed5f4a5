// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

/** Threads of the kit, which no JVM waits for. */
final class Threads {

    private Threads() {}

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Waits: other processes are to run meanwhile, and report nothing. */
    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
