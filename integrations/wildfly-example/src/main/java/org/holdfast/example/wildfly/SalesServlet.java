// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code curl 'http://localhost:8080/example/sell?sku=lamp'} sells one. */
@WebServlet("/sell")
public class SalesServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Inject
    private transient Sales sales;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(sales.sell(request.getParameter("sku")));
    }
}
