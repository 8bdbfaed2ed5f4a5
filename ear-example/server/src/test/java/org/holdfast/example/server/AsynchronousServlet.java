// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.concurrent.Asynchronous;
import jakarta.enterprise.concurrent.Schedule;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;

/** A web module with methods that Jakarta Concurrency runs, once and by a schedule; reports how each run went. */
@WebServlet("/")
public class AsynchronousServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "asynchronous";

    private static final List<String> RUNS = new CopyOnWriteArrayList<>();
    private static volatile Lease held;

    @Inject
    private transient Service service;

    @Inject
    private transient LockConnection connection;

    @ApplicationScoped
    public static class Service {

        private final RealNodes nodes = new RealNodes(NAME);

        @Inject
        private Lease lease;

        private void run(String lock) {
            RUNS.add(Thread.currentThread().getName() + ": "
                    + (nodes.isHeld(lock) && lease.isHeld() ? "locked" : "not locked"));
        }

        @Asynchronous
        @Locked("once")
        public CompletableFuture<String> once() {
            run("once");
            return Asynchronous.Result.complete("done");
        }

        /** Each second, until the application ends. */
        @Asynchronous(runAt = @Schedule(cron = "* * * * * *"))
        @Locked(value = "scheduled", onBusy = OnBusy.SKIP)
        public void scheduled() {
            run("scheduled");
        }
    }

    /** Sets what an operator would set on the command line; the nodes are there already. */
    public static class Operator implements Extension {

        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(Map.of(
                    Setting.KEY_PREFIX, NAME, Setting.GUARD, "DEVELOPMENT", Setting.NODE_TIMEOUT_MILLIS, "2000"));
        }

        void clear(@Observes BeforeShutdown event) {
            OperatorsSettings.clear();
        }
    }

    /** Answers with the runs since the request before. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            switch (request.getParameter("what")) {
                case "once" -> service.once().get(30, TimeUnit.SECONDS);
                case "schedule" -> service.scheduled();
                case "hold" ->
                    held = connection.acquire(LockRequest.of("scheduled").detached());
                case "release" -> held.release();
                default -> RUNS.size();
            }
        } catch (Exception e) {
            throw new IOException(e);
        }
        String runs = String.join("\n", RUNS);
        RUNS.clear();
        response.getWriter().print(runs);
    }
}
