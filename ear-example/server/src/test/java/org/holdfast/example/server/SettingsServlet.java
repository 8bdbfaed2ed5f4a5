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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;

/** A web module with nothing but {@code @Locked}. Reports what the keys of its lock begin with on the nodes. */
@WebServlet("/")
public class SettingsServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "from-settings";

    /** What keys of a resource adapter begin with. */
    static final String OF_THE_ADAPTER = "holdfast";

    @Inject
    private transient Service service;

    @ApplicationScoped
    public static class Service {

        @Locked("#{name}")
        public String prefixOf(String name) {
            return Stream.of(NAME, OF_THE_ADAPTER)
                    .filter(prefix -> new RealNodes(prefix).isHeld(name))
                    .collect(Collectors.joining());
        }
    }

    /** Sets what an operator would set on the command line; the nodes are there already. */
    public static class Operator implements Extension {

        private static final Map<Setting, String> SET =
                Map.of(Setting.KEY_PREFIX, NAME, Setting.GUARD, "DEVELOPMENT", Setting.NODE_TIMEOUT_MILLIS, "2000");

        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(SET);
        }

        void clear(@Observes BeforeShutdown event) {
            OperatorsSettings.clear();
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(service.prefixOf(request.getParameter("lock")));
    }
}
