// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** An application that works under locks, seen from outside: also when it has gone. */
final class WorkingApp {

    private static final Duration LONGEST = Duration.ofSeconds(120);

    /** A new one each time: what an earlier work still writes is no concern of this one. */
    private final Path directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "working");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String root;

    /** @param root where the application is, with a slash at its end */
    WorkingApp(String root) throws IOException {
        this.root = root;
    }

    static WebArchive war() {
        return ShrinkWrap.create(WebArchive.class, "working.war").addClasses(WorkingServlet.class, WorkInAFile.class);
    }

    /** Lets it begin to work under a lock. Completes when the request has ended, in whatever way. */
    CompletableFuture<Void> begin(String lock, String way) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + root + "?lock=" + lock + "&way="
                        + way + "&file=" + directory.resolve(lock)))
                .timeout(LONGEST)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.discarding()).handle((response, failure) -> null);
    }

    /** Returns how the work stands, as it was written last. */
    String state(String lock) throws IOException {
        Path file = directory.resolve(lock);
        return Files.exists(file) ? Files.readString(file) : "not begun";
    }

    void end(String lock) throws IOException {
        Files.writeString(directory.resolve(lock + ".end"), "");
    }
}
