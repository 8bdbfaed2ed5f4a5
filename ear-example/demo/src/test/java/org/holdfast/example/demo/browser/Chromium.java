// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.browser;

import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium with an empty profile. Its directory is the caller's, to delete after {@link #close}. */
public final class Chromium implements AutoCloseable {

    /** Names a Chromium that is not on the PATH. */
    private static final String PROPERTY = "browser";

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

    private final Process process;
    private final HttpClient client;
    private final int port;

    private Chromium(Process process, HttpClient client, int port) {
        this.process = process;
        this.client = client;
        this.port = port;
    }

    /** Returns the browser of this machine, if it has one. */
    public static Optional<Path> find() {
        String named = System.getProperty(PROPERTY, "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts the browser.
     *
     * @param directory for its profile, its home and its log
     */
    public static Chromium start(Path directory) throws IOException, InterruptedException {
        Path executable = find().orElseThrow();
        Path profile = Files.createDirectories(directory.resolve("profile"));
        ProcessBuilder builder = new ProcessBuilder(
                executable.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank");
        builder.environment().put("HOME", directory.toString());
        builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve("browser.log").toFile());
        Process process = builder.start();
        try {
            int port = port(process, profile.resolve("DevToolsActivePort"));
            return new Chromium(process, HttpClient.newHttpClient(), port);
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** The browser writes its port when it is ready. */
    private static int port(Process process, Path file) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (Files.exists(file)) {
                List<String> lines = Files.readAllLines(file);
                if (lines.size() > 1) {
                    return Integer.parseInt(lines.get(0));
                }
            }
            if (!process.isAlive()) {
                throw new IOException(
                        "the browser ended with " + process.exitValue() + "; see browser.log beside " + file);
            }
            TimeUnit.MILLISECONDS.sleep(20); // another process: there is nothing to be notified by
        }
        throw new IOException("the browser did not open its port within " + PATIENCE);
    }

    /** Opens a tab. */
    public Tab newTab() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        String answer =
                client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        try (JsonReader reader = Json.createReader(new StringReader(answer))) {
            return new Tab(
                    DevTools.connect(client, URI.create(reader.readObject().getString("webSocketDebuggerUrl"))));
        }
    }

    /** Ends the browser and returns when it is gone. */
    @Override
    public void close() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }
}
