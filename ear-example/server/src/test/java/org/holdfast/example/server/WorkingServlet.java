// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.nio.file.Path;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/**
 * Takes a lock and works under it until the test ends that. It writes its state to a file, and the test ends it
 * by another file: the test can read and write these when the application, its adapter or the server has gone.
 */
@WebServlet("/")
public class WorkingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Resource(name = "eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient UserTransaction transaction;

    /** Works, and answers what became of it. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        WorkInAFile work = new WorkInAFile(Path.of(request.getParameter("file")));
        try (LockConnection connection = locks.getConnection()) {
            switch (request.getParameter("way")) {
                case "connection" -> work.work(connection.acquire(LockRequest.of(lock)));
                case "detached" -> {
                    try (Lease lease = connection.acquire(LockRequest.of(lock).detached())) {
                        work.work(lease);
                    }
                }
                default -> {
                    transaction.begin();
                    work.work(connection.acquire(LockRequest.of(lock)));
                    transaction.commit();
                    work.append(", committed");
                }
            }
        } catch (Exception e) {
            work.append(", " + e);
        }
        response.getWriter().print(work.state());
    }
}
