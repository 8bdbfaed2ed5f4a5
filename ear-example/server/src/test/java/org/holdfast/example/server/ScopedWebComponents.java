// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Singleton;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.MultipartConfig;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import java.io.IOException;
import org.holdfast.cdi.Locked;

/** Classes that a server makes, and that are beans, too. */
final class ScopedWebComponents {

    private ScopedWebComponents() {}

    public abstract static class Serving extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("servlet")
        @Override
        public void service(ServletRequest request, ServletResponse response) throws IOException {
            response.getWriter().print("served");
        }
    }

    /** As {@code web.xml} would name it: no annotation says that the server makes it. */
    @MultipartConfig
    @Dependent
    public static class ScopedServlet extends Serving {
        private static final long serialVersionUID = 1L;
    }

    @WebFilter("/components")
    @ApplicationScoped
    public static class ScopedFilter implements Filter {
        @Locked("filter")
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            chain.doFilter(request, response);
        }
    }

    @WebListener
    @Dependent
    public static class ScopedListener implements HttpSessionListener {
        @Locked("listener")
        @Override
        public void sessionCreated(HttpSessionEvent event) {}
    }

    @ServerEndpoint("/scoped")
    @ApplicationScoped
    public static class ScopedEndpoint {
        @Locked("endpoint")
        @OnMessage
        public String answer(String message) {
            return message;
        }
    }

    @ServerEndpoint("/ejb")
    @Singleton
    public static class EjbEndpoint {
        @Locked("ejb")
        @OnMessage
        public String answer(String message) {
            return message;
        }
    }
}
