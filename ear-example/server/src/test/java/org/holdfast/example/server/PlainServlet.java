// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.Transactional;
import java.io.IOException;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;

/** A web module without an adapter: it makes its own factory, and reports how a locked method in a transaction went. */
@WebServlet("/")
public class PlainServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Also what its keys begin with. */
    static final String NAME = "plain";

    private final transient RealNodes nodes = new RealNodes(NAME);

    @Inject
    private transient Service service;

    @Inject
    private transient LockConnectionFactory locks;

    @Inject
    private transient Ledger ledger;

    /** As the README has it; the quarantine of new nodes is shorter here. */
    @ApplicationScoped
    public static class Locks {

        @Produces
        @ApplicationScoped
        public LockConnectionFactory connect() {
            return Holdfast.connect(Map.of(
                    "nodes",
                    System.getProperty("holdfast.nodes"),
                    "keyPrefix",
                    NAME,
                    "ttlMillis",
                    "5000",
                    "maxLeaseTtlMillis",
                    "5000",
                    "waitTimeoutMillis",
                    "20000"));
        }

        public void close(@Disposes LockConnectionFactory locks) {
            locks.close();
        }
    }

    @ApplicationScoped
    public static class Service {

        @Locked("#{name}")
        @Transactional
        public void run(String name, Work work) throws Exception {
            work.run();
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        boolean isForced = request.getParameter("forced") != null;
        CompletionWitness witness = new CompletionWitness(() -> nodes.isHeld(lock));
        String end = "returned";
        try {
            ledger.open();
            service.run(lock, () -> {
                ledger.write(lock);
                TransactionManagers.find().getTransaction().enlistResource(witness);
                if (isForced) {
                    OnceAnswered.ask(() -> locks.forceRelease(lock));
                }
            });
        } catch (Exception e) {
            end = rootOf(e).getClass().getSimpleName();
        }
        response.getWriter().print(end + ", " + witness.seen() + ", written: " + isWritten(lock));
    }

    private boolean isWritten(String lock) throws IOException {
        try {
            return ledger.has(lock);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
