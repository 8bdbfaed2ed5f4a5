// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;

/** A web module without an adapter, which holds a lock, reports its threads, and uses up those of the server. */
@WebServlet("/")
public class ThreadsServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "own-threads";

    static final int TTL_MILLIS = 4_000;

    private static final int MOST_TASKS = 300;

    private static final CountDownLatch END = new CountDownLatch(1);
    private static volatile Lease lease;
    private static volatile String lost = "";

    @Inject
    private transient LockConnection connection;

    @Inject
    private transient Service service;

    /** Has the factory opened when the application starts. */
    @ApplicationScoped
    public static class Service {
        @Locked("#{name}")
        public void run(String name) {}
    }

    /** Sets what an operator would set on the command line; the nodes are there already. */
    public static class Operator implements Extension {

        private static final Map<Setting, String> SET = Map.of(
                Setting.KEY_PREFIX,
                NAME,
                Setting.GUARD,
                "DEVELOPMENT",
                Setting.NODE_TIMEOUT_MILLIS,
                "2000",
                Setting.TTL_MILLIS,
                Integer.toString(TTL_MILLIS));

        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(SET);
        }

        void clear(@Observes BeforeShutdown event) {
            END.countDown();
            OperatorsSettings.clear();
        }
    }

    /** Some servers keep the classes of a module that has gone: what hangs on them would be taken for a leak of ours. */
    @Override
    public void destroy() {
        lease = null;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter()
                .print(answer(
                        request.getParameter("what"), request.getParameter("lock"), request.getParameter("seconds")));
    }

    private String answer(String what, String lock, String seconds) throws IOException {
        try {
            return switch (what) {
                case "hold" -> hold(lock);
                case "held" -> Boolean.toString(lease.isHeld());
                case "lost" -> lost;
                case "threads" ->
                    String.join("\n", threads().map(Thread::getName).toList());
                case "container" -> nameByTheContainer();
                case "saturate" -> saturate(System.nanoTime() + SECONDS.toNanos(Long.parseLong(seconds)));
                default -> throw new IOException("unknown: " + what);
            };
        } catch (NamingException | InterruptedException e) {
            throw new IOException(e);
        }
    }

    private String hold(String lock) throws InterruptedException {
        service.run(lock);
        lost = "";
        lease = connection.acquire(LockRequest.of(lock).detached());
        lease.onLost(
                loss -> lost = Thread.currentThread().getName() + (hasNames() ? ", with names" : ", without names"));
        return lock;
    }

    private static boolean hasNames() {
        try {
            return InitialContext.doLookup("java:comp/env") != null;
        } catch (NamingException | RuntimeException e) {
            return false;
        }
    }

    /** Returns those that run Holdfast's code; threads of its pools that are idle are none. */
    private static Stream<Thread> threads() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey() != Thread.currentThread() && isHoldfasts(entry.getValue()))
                .map(Map.Entry::getKey);
    }

    private static boolean isHoldfasts(StackTraceElement[] stack) {
        return Arrays.stream(stack).anyMatch(frame -> frame.getClassName().startsWith("org.holdfast.runtime."));
    }

    private static String nameByTheContainer() throws NamingException {
        ThreadFactory factory = InitialContext.doLookup("java:comp/DefaultManagedThreadFactory");
        Thread thread = factory.newThread(() -> {});
        thread.start();
        return thread.getName();
    }

    /**
     * Returns for each executor of the server how many tasks it has accepted and not begun.
     *
     * @param end when all of them end, by nanoTime
     */
    private static String saturate(long end) throws NamingException, InterruptedException {
        StringBuilder waiting = new StringBuilder();
        for (String name : List.of("DefaultManagedExecutorService", "DefaultManagedScheduledExecutorService")) {
            waiting.append(saturate(InitialContext.doLookup("java:comp/" + name), end))
                    .append(' ');
        }
        return waiting.toString().trim();
    }

    private static long saturate(ExecutorService executor, long end) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(MOST_TASKS);
        try {
            for (int task = 0; task < MOST_TASKS; task++) {
                executor.execute(() -> {
                    begun.countDown();
                    awaitEnd(end);
                });
            }
        } catch (RejectedExecutionException e) {
            return MOST_TASKS; // it takes no more
        }
        begun.await(2, SECONDS);
        return begun.getCount();
    }

    private static void awaitEnd(long end) {
        try {
            END.await(end - System.nanoTime(), NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
