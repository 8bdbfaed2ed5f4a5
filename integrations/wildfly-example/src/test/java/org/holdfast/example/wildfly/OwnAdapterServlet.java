// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** As {@link SalesServlet}. */
@WebServlet("/sell")
public class OwnAdapterServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Inject
    private transient OwnAdapterSales sales;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(sales.sell(request.getParameter("sku")));
    }
}
