// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** Takes locks and does not give them back: that is left to the end of the application. */
@WebServlet("/")
public class HoldingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Open Liberty starts a thread for the timeout of each of the first ten, and none for those that follow. */
    private static final int TRANSACTIONS = 10;

    @Resource(name = "eis/holdfast")
    private transient LockConnectionFactory locks;

    @Inject
    private transient TransactionalBean bean;

    private final transient List<Lease> leases = new ArrayList<>();

    /** Takes so many locks; answers with the token of the first. */
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        int count = Integer.parseInt(request.getParameter("count"));
        try (LockConnection connection = locks.getConnection()) {
            for (int number = 0; number < count; number++) {
                leases.add(connection.acquire(
                        LockRequest.of(number == 0 ? lock : lock + number).detached()));
            }
            for (int number = 0; number < TRANSACTIONS; number++) {
                bean.runLocked("by annotation", () -> {});
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        response.getWriter().print(leases.get(0).token());
    }

    /** Answers whether all of them are held. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(leases.stream().allMatch(Lease::isHeld));
    }
}
