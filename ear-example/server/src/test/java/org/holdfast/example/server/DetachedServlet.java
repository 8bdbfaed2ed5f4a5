// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** Takes a lock that outlives the application; answers with its token. */
@WebServlet("/")
public class DetachedServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:/eis/holdfast")
    private transient LockConnectionFactory locks;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (LockConnection connection = locks.getConnection()) {
            response.getWriter()
                    .print(connection
                            .acquire(
                                    LockRequest.of(request.getParameter("lock")).detached())
                            .token());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
