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
import java.nio.file.Path;
import java.util.Map;
import org.holdfast.Lease;
import org.holdfast.Setting;
import org.holdfast.cdi.Locked;

/** A web module without an adapter, which works under a lock until the test ends that. */
@WebServlet("/")
public class PlainWorkServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "plain-work";

    static final int TTL_MILLIS = 20_000;

    static final int STOP_TIMEOUT_MILLIS = 4_000;

    @Inject
    private transient Service service;

    @ApplicationScoped
    public static class Service {

        @Inject
        private Lease lease;

        @Locked("#{name}")
        public long work(String name, WorkInAFile work) {
            long token = lease.token();
            work.work(lease);
            return token;
        }
    }

    /** Sets what an operator would set on the command line; the nodes are there already. */
    public static class Operator implements Extension {

        void set(@Observes BeforeBeanDiscovery event) {
            OperatorsSettings.set(Map.of(
                    Setting.KEY_PREFIX,
                    NAME,
                    Setting.GUARD,
                    "DEVELOPMENT",
                    Setting.NODE_TIMEOUT_MILLIS,
                    "2000",
                    Setting.TTL_MILLIS,
                    Integer.toString(TTL_MILLIS),
                    Setting.STOP_TIMEOUT_MILLIS,
                    Integer.toString(STOP_TIMEOUT_MILLIS)));
        }

        void clear(@Observes BeforeShutdown event) {
            OperatorsSettings.clear();
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        WorkInAFile work = new WorkInAFile(Path.of(request.getParameter("file")));
        response.getWriter().print(service.work(request.getParameter("lock"), work));
    }
}
