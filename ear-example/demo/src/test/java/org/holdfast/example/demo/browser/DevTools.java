// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.browser;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** One connection to the DevTools of a tab: commands with their answers, and events. */
final class DevTools implements WebSocket.Listener, AutoCloseable {

    private static final long PATIENCE_SECONDS = 120;

    private final Map<Integer, CompletableFuture<JsonObject>> pending = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<BiConsumer<String, JsonObject>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger last = new AtomicInteger();
    private final StringBuilder message = new StringBuilder();
    private WebSocket socket;

    private DevTools() {}

    static DevTools connect(HttpClient client, URI address) throws IOException, InterruptedException {
        DevTools tools = new DevTools();
        tools.socket = get(client.newWebSocketBuilder().buildAsync(address, tools), "connect to " + address);
        return tools;
    }

    /** Calls back for each event, on the thread that reads. */
    void onEvent(BiConsumer<String, JsonObject> listener) {
        listeners.add(listener);
    }

    /** Sends a command and returns its result. */
    JsonObject send(String method, JsonObject parameters) throws IOException, InterruptedException {
        int id = last.incrementAndGet();
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        pending.put(id, answer);
        String text = Json.createObjectBuilder()
                .add("id", id)
                .add("method", method)
                .add("params", parameters)
                .build()
                .toString();
        get(socket.sendText(text, true), "send " + method);
        JsonObject reply = get(answer, method);
        if (reply.containsKey("error")) {
            throw new IOException(method + " " + parameters + " was refused: " + reply.get("error"));
        }
        return reply.getJsonObject("result");
    }

    private static <T> T get(CompletableFuture<T> future, String what) throws IOException, InterruptedException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the browser did not answer: " + what, e);
        }
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean complete) {
        message.append(data);
        if (complete) {
            String text = message.toString();
            message.setLength(0);
            receive(text);
        }
        webSocket.request(1);
        return null;
    }

    private void receive(String text) {
        JsonObject object;
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            object = reader.readObject();
        }
        if (object.containsKey("id")) {
            CompletableFuture<JsonObject> answer = pending.remove(object.getInt("id"));
            if (answer != null) {
                answer.complete(object);
            }
        } else {
            listeners.forEach(listener -> listener.accept(object.getString("method"), object.getJsonObject("params")));
        }
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        pending.values().forEach(answer -> answer.completeExceptionally(error));
    }

    @Override
    public void close() {
        socket.abort();
    }
}
