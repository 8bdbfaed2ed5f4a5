// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Serves the page, the state and the actions on the loopback address. */
public final class PageServer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(PageServer.class.getName());

    /** So many readers of the events at once; and as many threads for all other requests. */
    static final int MOST_STREAMS = 8;

    private static final int THREADS = 2 * MOST_STREAMS;
    private static final int MOST_WAITING = 64;
    private static final long BETWEEN_STATES_MILLIS = 200;

    private static final String ACTIONS = "/actions/";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cache-Control",
            "no-cache");

    static {
        // A client that sends its request slowly keeps a thread for so many seconds at the most.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
    }

    private final Supplier<String> state;
    private final Actions actions;
    private final boolean readOnly;
    private final EventStreams streams;
    private final HttpServer http;
    private final ThreadPoolExecutor threads;
    private final ScheduledExecutorService ticker;

    /**
     * Listens from now on.
     *
     * @param port of the loopback address; 0 for any that is free
     * @param state returns the state as JSON
     * @param readOnly whether all actions are refused
     */
    public PageServer(int port, Supplier<String> state, Actions actions, boolean readOnly) throws IOException {
        this.state = state;
        this.actions = actions;
        this.readOnly = readOnly;
        this.streams = new EventStreams(state, MOST_STREAMS);
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(MOST_WAITING), PageServer::thread);
        this.ticker = Executors.newSingleThreadScheduledExecutor(PageServer::thread);
        http.setExecutor(threads);
        http.createContext("/", this::handle);
        http.start();
        ticker.scheduleWithFixedDelay(this::send, BETWEEN_STATES_MILLIS, BETWEEN_STATES_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "page");
        thread.setDaemon(true);
        return thread;
    }

    public int port() {
        return http.getAddress().getPort();
    }

    /** What is thrown would end the regular call. */
    private void send() {
        try {
            streams.send();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the state could not be sent", e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            HEADERS.forEach(exchange.getResponseHeaders()::set);
            Optional<String> refusal = RequestRules.refusal(exchange.getRequestMethod(), exchange.getRequestHeaders());
            if (refusal.isPresent()) {
                answer(exchange, 403, TEXT, refusal.get());
                return;
            }
            String path = exchange.getRequestURI().getPath();
            switch (exchange.getRequestMethod()) {
                case "GET" -> get(exchange, path);
                case "POST" -> post(exchange, path);
                default -> answer(exchange, 405, TEXT, "GET and POST are what there is");
            }
        }
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        switch (path) {
            case "/" -> answer(exchange, PageFiles.page(readOnly));
            case "/operate" -> answer(exchange, PageFiles.page(true));
            case "/state" -> answer(exchange, 200, "application/json", state.get());
            case "/events" -> stream(exchange);
            default -> {
                Optional<PageFiles.PageFile> file = PageFiles.find(path.substring(1));
                if (file.isPresent()) {
                    answer(exchange, file.get());
                } else {
                    answer(exchange, 404, TEXT, "there is no such file");
                }
            }
        }
    }

    private void stream(HttpExchange exchange) throws IOException {
        boolean served = streams.serve(() -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            return exchange.getResponseBody();
        });
        if (!served) {
            answer(exchange, 503, TEXT, MOST_STREAMS + " pages are open already: close one, or ask /state");
        }
    }

    private void post(HttpExchange exchange, String path) throws IOException {
        if (!path.startsWith(ACTIONS)) {
            answer(exchange, 404, TEXT, "actions are below " + ACTIONS);
        } else if (readOnly) {
            answer(exchange, 403, TEXT, "this page is read only");
        } else {
            ActionResult result =
                    actions.begin(List.of(path.substring(ACTIONS.length()).split("/")));
            if (result instanceof ActionResult.Refused refused) {
                answer(exchange, 409, TEXT, refused.reason());
            } else if (result instanceof ActionResult.Unknown) {
                answer(exchange, 404, TEXT, "there is no such action");
            } else {
                answer(exchange, 202, TEXT, "begun");
            }
        }
    }

    private static void answer(HttpExchange exchange, PageFiles.PageFile file) throws IOException {
        answer(exchange, 200, file.type(), file.content());
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        answer(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
        exchange.getResponseBody().write(content);
    }

    /** Returns how many readers of the events there are. */
    int streams() {
        return streams.size();
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        streams.close();
        http.stop(0);
        threads.shutdownNow();
    }
}
