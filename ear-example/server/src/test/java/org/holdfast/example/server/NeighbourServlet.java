// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Collectors;
import org.holdfast.cdi.Locked;

/** Reports below which prefix its lock is held, and with which TTL; and what a neighbour reports meanwhile. */
@WebServlet("/")
public class NeighbourServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static final List<String> PREFIXES = List.of("first-neighbour", "second-neighbour", "holdfast");

    /** TTLs are multiples of it. */
    private static final long STEP_MILLIS = 20_000;

    @Inject
    private transient Service service;

    /** What is done under the lock. */
    public interface Work {
        String run() throws IOException, InterruptedException;
    }

    @ApplicationScoped
    public static class Service {

        @Locked("#{name}")
        public String runLocked(String name, Work work) throws IOException, InterruptedException {
            return work.run();
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String lock = request.getParameter("lock");
        String other = request.getParameter("other");
        String neighbour = request.getRequestURL().toString().replaceFirst("/[^/]*/$", "/" + other + "/");
        try {
            response.getWriter().print(service.runLocked(lock, () -> {
                String own = lookAt(lock);
                return other.isEmpty() ? own : own + "; meanwhile " + ask(neighbour + "?other=&lock=" + lock);
            }));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static String lookAt(String lock) {
        return PREFIXES.stream()
                .map(prefix -> prefix + ", " + ttl(new RealNodes(prefix).millisLeft(lock)))
                .filter(found -> !found.endsWith(", 0"))
                .collect(Collectors.joining(" and "));
    }

    /** Returns the TTL, in whole steps, of a lock that was taken or renewed just now. */
    private static long ttl(long millisLeft) {
        return Math.max(0, (millisLeft + STEP_MILLIS - 1) / STEP_MILLIS * STEP_MILLIS);
    }

    private static String ask(String uri) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
