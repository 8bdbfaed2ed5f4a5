// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Asks components of a web module whether they run under their lock. */
final class ComponentsClient {

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    String get(String path) throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create(RealServers.http() + path))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return response.statusCode() == 200 ? response.body() : response.statusCode() + ": " + response.body();
    }

    String send(String path) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        URI uri = URI.create(RealServers.http().replace("http", "ws") + path);
        WebSocket socket = http.newWebSocketBuilder()
                .buildAsync(uri, new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                        answer.complete(data.toString());
                        return null;
                    }
                })
                .get(60, TimeUnit.SECONDS);
        socket.sendText("?", true);
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } finally {
            socket.abort();
        }
    }
}
