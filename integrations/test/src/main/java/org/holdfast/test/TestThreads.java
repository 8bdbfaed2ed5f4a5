// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of one test: daemons, which end with it. It is known when none of them has anything to do. */
final class TestThreads implements Executor {

    /** More than the protocol runs at once. */
    private static final int MOST = 256;

    private final AtomicInteger busy = new AtomicInteger();
    private final Set<Thread> own = ConcurrentHashMap.newKeySet();
    private final ExecutorService pool =
            new ThreadPoolExecutor(0, MOST, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), this::newThread);

    Thread newThread(Runnable task) {
        Thread thread = new Thread(
                () -> {
                    own.add(Thread.currentThread());
                    try {
                        task.run();
                    } finally {
                        own.remove(Thread.currentThread());
                    }
                },
                "holdfast-test");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void execute(Runnable task) {
        busy.incrementAndGet();
        boolean accepted = false;
        try {
            pool.execute(() -> {
                try {
                    task.run();
                } finally {
                    busy.decrementAndGet();
                }
            });
            accepted = true;
        } finally {
            if (!accepted) {
                busy.decrementAndGet();
            }
        }
    }

    /** Returns whether the calling thread is one of these. */
    boolean isOwn() {
        return own.contains(Thread.currentThread());
    }

    boolean isIdle() {
        return busy.get() == 0;
    }

    /** Ends threads when they have done what they have; a thread that is blocked is left. */
    void close() {
        pool.shutdown();
    }
}
