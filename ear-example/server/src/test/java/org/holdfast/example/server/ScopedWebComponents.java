// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.Dependent;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.MultipartConfig;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import java.io.IOException;
import org.holdfast.cdi.Locked;

/** Classes that a server makes, and that are beans. Each reports whether its lock is held while it works. */
final class ScopedWebComponents {

    private ScopedWebComponents() {}

    static boolean isHeld(String lock) {
        return new RealNodes().isHeld(lock);
    }

    public abstract static class Serving extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("servlet")
        @Override
        public void service(ServletRequest request, ServletResponse response) throws IOException {
            response.getWriter()
                    .print("servlet=" + isHeld("servlet") + " filter=" + request.getAttribute("filter") + " listener="
                            + request.getAttribute("listener") + " ");
        }
    }

    @WebServlet("/components")
    @MultipartConfig
    @Dependent
    public static class ScopedServlet extends Serving {
        private static final long serialVersionUID = 1L;
    }

    @WebFilter("/components")
    @Dependent
    public static class ScopedFilter implements Filter {
        @Locked("filter")
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            request.setAttribute("filter", isHeld("filter"));
            chain.doFilter(request, response);
        }
    }

    @WebListener
    @Dependent
    public static class ScopedListener implements ServletRequestListener {
        @Locked("listener")
        @Override
        public void requestInitialized(ServletRequestEvent event) {
            event.getServletRequest().setAttribute("listener", isHeld("listener"));
        }
    }

    @ServerEndpoint("/scoped")
    @Dependent
    public static class ScopedEndpoint {
        @Locked("endpoint")
        @OnMessage
        public String answer(String message) {
            return "endpoint=" + isHeld("endpoint") + " ";
        }
    }
}
