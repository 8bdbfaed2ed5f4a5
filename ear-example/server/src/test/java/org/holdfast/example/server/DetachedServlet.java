// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** Takes a lock of the given factory that outlives the application; answers with its token. */
@WebServlet("/")
public class DetachedServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (LockConnection connection = factory(request).getConnection()) {
            response.getWriter()
                    .print(connection
                            .acquire(
                                    LockRequest.of(request.getParameter("lock")).detached())
                            .token());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static LockConnectionFactory factory(HttpServletRequest request) throws IOException {
        try {
            return InitialContext.doLookup("java:comp/env/eis/" + request.getParameter("factory"));
        } catch (NamingException e) {
            throw new IOException(e);
        }
    }
}
