// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** Takes a lock and works under it until a request ends that; answers meanwhile whether a loss was reported. */
@WebServlet("/")
public class WorkingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_SECONDS = 60;

    @Resource(name = "eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient UserTransaction transaction;

    private final transient Map<String, Work> underWay = new ConcurrentHashMap<>();

    private static final class Work {
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile String state = "begun";
    }

    /** Works, and answers what became of it. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        Work work = new Work();
        underWay.put(lock, work);
        try (LockConnection connection = locks.getConnection()) {
            switch (request.getParameter("way")) {
                case "connection" -> work(work, connection.acquire(LockRequest.of(lock)));
                case "detached" -> {
                    try (Lease lease = connection.acquire(LockRequest.of(lock).detached())) {
                        work(work, lease);
                    }
                }
                default -> {
                    transaction.begin();
                    work(work, connection.acquire(LockRequest.of(lock)));
                    transaction.commit();
                    work.state += ", committed";
                }
            }
            response.getWriter().print(work.state);
        } catch (Exception e) {
            response.getWriter().print(work.state + ", " + e);
        }
    }

    private static void work(Work work, Lease lease) throws InterruptedException {
        lease.onLost(loss -> work.state = "lost: " + loss.reason());
        work.state = "held";
        if (!work.end.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
            work.state += ", forgotten";
        }
    }

    /** Answers how the work on a lock stands, and ends it if the request asks for that. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Work work = underWay.get(request.getParameter("lock"));
        response.getWriter().print(work == null ? "none" : work.state);
        if (work != null && request.getParameter("end") != null) {
            work.end.countDown();
        }
    }
}
