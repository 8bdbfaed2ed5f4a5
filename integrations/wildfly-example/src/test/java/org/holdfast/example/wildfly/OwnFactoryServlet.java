// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;

/** Of an application that has {@code holdfast-standalone}: it connects by itself. */
@WebServlet("/own")
public class OwnFactoryServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static Map<String, String> settings() {
        return Stream.of(Setting.NODES, Setting.GUARD)
                .collect(Collectors.toMap(Setting::key, setting -> System.getenv(setting.environmentVariable())));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try (LockConnectionFactory locks = Holdfast.connect(settings());
                LockConnection connection = locks.getConnection();
                Lease lease = connection.acquire("stock-" + request.getParameter("sku"))) {
            response.getWriter().print(lease.token());
        } catch (InterruptedException e) {
            throw new ServletException(e);
        }
    }
}
