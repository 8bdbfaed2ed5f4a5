// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks the shop of a server. Blocks; an interrupt ends it. */
public final class ShopClient {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();

    /** What a server answers. */
    public record Answer(int status, String body) {

        /** Says what came, in one line. */
        @Override
        public String toString() {
            return status + " " + body.strip();
        }
    }

    public Answer get(ShopServer server, String path, Duration timeout) throws IOException, InterruptedException {
        return send("GET", server, path, timeout);
    }

    public Answer post(ShopServer server, String path, Duration timeout) throws IOException, InterruptedException {
        return send("POST", server, path, timeout);
    }

    /** @param path below {@code /shop/} */
    private Answer send(String method, ShopServer server, String path, Duration timeout)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/shop/" + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(timeout)
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new IOException(server.name() + " did not answer: " + e, e);
        }
    }
}
