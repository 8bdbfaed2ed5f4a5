// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;

/** Asks for a lock that no other holder gets for two hours, which not every setting allows. */
@WebServlet("/")
public class LongestServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "longest";

    @Inject
    private transient Service service;

    @ApplicationScoped
    public static class Service {

        @Locked(value = "longest", atLeast = "PT2H")
        public boolean longest() {
            return true;
        }
    }

    /** Allows it. */
    public static class Allowing implements Extension {

        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(Map.of(
                    Setting.KEY_PREFIX,
                    NAME,
                    Setting.GUARD,
                    "DEVELOPMENT",
                    Setting.NODE_TIMEOUT_MILLIS,
                    "2000",
                    Setting.MAX_LEASE_TTL_MILLIS,
                    "7200000"));
        }

        void clear(@Observes BeforeShutdown event) {
            OperatorsSettings.clear();
        }
    }

    /** Leaves the default. */
    public static class Refusing implements Extension {
        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(Map.of(Setting.KEY_PREFIX, NAME, Setting.GUARD, "DEVELOPMENT"));
        }
    }

    /** Makes two mistakes. */
    public static class Mistaken implements Extension {
        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(Map.of(Setting.TTL_MILLIS, "soon", Setting.GUARD, "MAYBE"));
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(service.longest());
    }
}
