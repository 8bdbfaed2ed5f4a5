// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.EJB;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Application;
import java.io.IOException;
import org.holdfast.cdi.Locked;

/** Classes that a server makes, without a scope. Each reports whether the lock of its name is held while it works. */
final class LockedWebComponents {

    private LockedWebComponents() {}

    static boolean isHeld(String lock) {
        return new RealNodes().isHeld(lock);
    }

    @WebFilter("/components")
    public static class HeldFilter implements Filter {
        @Locked("filter")
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            request.setAttribute("filter", isHeld("filter"));
            chain.doFilter(request, response);
        }
    }

    @WebListener
    public static class HeldListener implements ServletRequestListener {
        @Locked("listener")
        @Override
        public void requestInitialized(ServletRequestEvent event) {
            event.getServletRequest().setAttribute("listener", isHeld("listener"));
        }
    }

    @WebServlet("/components")
    public static class HeldServlet extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @EJB
        private transient Handler<String> generic;

        @Locked("servlet")
        @Override
        public void service(ServletRequest request, ServletResponse response) throws IOException {
            response.getWriter()
                    .print("servlet=" + isHeld("servlet") + " filter=" + request.getAttribute("filter") + " listener="
                            + request.getAttribute("listener") + " generic=" + generic.handle("ejb") + " ");
        }
    }

    @ApplicationPath("/rest")
    public static class Rest extends Application {}

    @Path("/held")
    public static class HeldResource {
        @Locked("resource")
        @GET
        public String held() {
            return "resource=" + isHeld("resource") + " ";
        }
    }

    @ServerEndpoint("/held")
    public static class HeldEndpoint {
        @Locked("endpoint")
        @OnMessage
        public String held(String message) {
            return "endpoint=" + isHeld("endpoint") + " ";
        }
    }
}
