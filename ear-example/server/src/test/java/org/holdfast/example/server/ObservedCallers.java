// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.holdfast.LockConnectionFactory;
import org.holdfast.faults.Caller;
import org.holdfast.faults.Habit;
import org.holdfast.faults.Report;
import org.holdfast.faults.ResourceClient;

/** Has threads of this server take locks, and report each step to the test before they take it. */
@WebServlet("/")
public class ObservedCallers extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static final long PATIENCE_MILLIS = 15_000;

    /** Of each kind. */
    static final int CALLERS = 3;

    /** Callers of several names take two. */
    static final int NUMBERS = 4 * CALLERS;

    @Resource(lookup = "java:/eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient ManagedThreadFactory threads;

    @Inject
    private transient ObservedBean bean;

    private final transient List<Thread> running = new CopyOnWriteArrayList<>();
    private transient Socket test;

    /** Begins: {@code server} is its number, {@code reports} and {@code resource} are ports of the test. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int server = Integer.parseInt(request.getParameter("server"));
        Habit habit = Habit.valueOf(request.getParameter("habit"));
        int resource = Integer.parseInt(request.getParameter("resource"));
        test = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(request.getParameter("reports")));
        PrintStream lines = new PrintStream(test.getOutputStream(), true);
        lines.println(server);
        Consumer<Report> reports = report -> lines.println(Report.write(report)); // one call a line
        for (int caller = 0; caller < CALLERS; caller++) {
            int number = server * NUMBERS + 4 * caller;
            run(new Caller(number, locks, habit, 0, reports, new ResourceClient(resource)));
            run(new ObservedBean.Caller(number + 2, bean, reports, new ResourceClient(resource)));
        }
    }

    private void run(Runnable caller) {
        Thread thread = threads.newThread(caller);
        running.add(thread);
        thread.start();
    }

    /** Ends what has begun; the connection to the test ends when all is reported. */
    @Override
    protected void doDelete(HttpServletRequest request, HttpServletResponse response) throws IOException {
        running.forEach(Thread::interrupt);
        try {
            for (Thread caller : running) {
                caller.join(PATIENCE_MILLIS);
                if (caller.isAlive()) {
                    throw new IOException(caller + " goes on at " + List.of(caller.getStackTrace()));
                }
            }
            running.clear();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (test != null) {
                test.close();
            }
        }
    }
}
