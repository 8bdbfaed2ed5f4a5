// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Calls the EJB that a request names, and answers whether its lock was held, or why it did not run. */
@WebServlet("/")
public class AskingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(answer(request.getParameter("ejb"), request.getParameter("lock")));
    }

    private static String answer(String ejb, String lock) {
        LockedWork work;
        try {
            work = InitialContext.doLookup("java:app/" + ejb);
        } catch (NamingException e) {
            return e.toString();
        }
        try {
            return work.isHeldMeanwhile(lock) ? "ran under its lock" : "ran without its lock";
        } catch (RuntimeException e) {
            return rootOf(e).getMessage();
        }
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
