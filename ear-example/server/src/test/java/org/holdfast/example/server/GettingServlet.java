// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.holdfast.cdi.Locked;

/** Has a lock where no interceptor is. */
@WebServlet("/getting")
public class GettingServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Locked("get")
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(new RealNodes().isHeld("get"));
    }
}
