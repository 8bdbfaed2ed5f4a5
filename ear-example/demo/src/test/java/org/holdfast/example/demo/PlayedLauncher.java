// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The page with states that a test plays. */
final class PlayedLauncher implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> actions = new CopyOnWriteArrayList<>();
    private volatile Played state = Played.calm();
    private volatile String refusal;
    private volatile int version;

    PlayedLauncher() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::page);
        server.createContext("/events", this::events);
        server.createContext("/actions", this::act);
        server.start();
    }

    String address(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    synchronized void play(Played next) {
        state = next;
        version++;
        notifyAll();
    }

    List<String> actions() {
        return List.copyOf(actions);
    }

    void refuse(String sentence) {
        refusal = sentence;
    }

    private void page(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        boolean html = path.equals("/") || path.equals("/operate");
        try (InputStream file = PlayedLauncher.class.getResourceAsStream("page" + (html ? "/index.html" : path))) {
            if (file == null) {
                answer(exchange, 404, "text/plain", "no such file");
                return;
            }
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            String type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html";
            answer(
                    exchange,
                    200,
                    path.endsWith(".svg") ? "image/svg+xml" : type,
                    path.equals("/operate") ? text.replace("<body>", "<body data-read-only>") : text);
        }
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        exchange.getResponseHeaders()
                .set(
                        "Content-Security-Policy",
                        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                                + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void events(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            int sent = -1;
            while (true) {
                synchronized (this) {
                    if (sent == version) {
                        wait(1000);
                    }
                    sent = version;
                }
                body.write(("event: state\ndata: " + state.json() + "\n\n").getBytes(StandardCharsets.UTF_8));
                body.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void act(HttpExchange exchange) throws IOException {
        actions.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
        String no = refusal;
        answer(exchange, no == null ? 202 : 409, "text/plain", no == null ? "begun" : no);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
