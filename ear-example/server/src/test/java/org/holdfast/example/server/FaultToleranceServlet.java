// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Cancels calls of a bean, and answers with what becomes of their locks. */
@WebServlet("/tolerant")
public class FaultToleranceServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Inject
    private transient FaultTolerantBean bean;

    private final transient RealNodes nodes = new RealNodes();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            response.getWriter()
                    .print("queued".equals(request.getParameter("call")) ? cancelQueued() : cancelRunning());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            bean.end();
        }
    }

    private String cancelRunning() throws InterruptedException {
        CompletableFuture<String> call = bean.run().toCompletableFuture();
        boolean ran = bean.awaitRun();
        call.cancel(true);
        boolean held = nodes.isHeld("tolerant");
        bean.end();
        return "ran=" + ran + " held=" + held + " then=" + isHeldForLong("tolerant");
    }

    private String cancelQueued() throws InterruptedException {
        CompletableFuture<String> first = bean.queued(1).toCompletableFuture();
        bean.awaitRun();
        bean.queued(2).toCompletableFuture().cancel(true);
        boolean held = isHeldForLong("tolerant-2");
        bean.end();
        first.join();
        return "held=" + held + " ran=" + bean.hasQueuedRun();
    }

    private boolean isHeldForLong(String lock) throws InterruptedException {
        boolean held = true;
        for (int times = 0; times < 100 && held; times++) {
            Thread.sleep(50); // nothing tells of a release on the nodes
            held = nodes.isHeld(lock);
        }
        return held;
    }
}
