// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What the server has written into its logs. */
final class ServerLog {

    /** In HF0209 if the process did not run for so long that a lease ended: no operation did that. */
    private static final String PAUSED = "did the process pause?";

    private final Map<Path, Integer> before = new TreeMap<>();

    private ServerLog() {}

    /** Returns what is written from now on. */
    static ServerLog fromNow() throws IOException {
        ServerLog log = new ServerLog();
        texts().forEach((file, text) -> log.before.put(file, text.length()));
        return log;
    }

    /** Returns each file with what is in it, a character for each byte. */
    static Map<Path, String> texts() throws IOException {
        Map<Path, String> texts = new TreeMap<>();
        if (Files.notExists(ApplicationServer.current().logs())) {
            return texts; // it was not started yet
        }
        try (Stream<Path> files = Files.walk(ApplicationServer.current().logs())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try {
                    texts.put(file, Files.readString(file, StandardCharsets.ISO_8859_1));
                } catch (NoSuchFileException e) {
                    // the server has removed it meanwhile: Liberty keeps its state there, too
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return texts;
    }

    /** Returns the line in which the server reports that its process paused, if it did. */
    Optional<String> pause() throws IOException {
        return linesWith(PAUSED).stream().findFirst();
    }

    /** Returns the new lines that contain a text. */
    List<String> linesWith(String text) throws IOException {
        return texts().entrySet().stream()
                .flatMap(entry -> news(entry.getKey(), entry.getValue()).stream())
                .filter(line -> line.contains(text))
                .toList();
    }

    /** A file that is shorter than it was is a new one. */
    private List<String> news(Path file, String text) {
        int known = before.getOrDefault(file, 0);
        return text.substring(known <= text.length() ? known : 0).lines().toList();
    }
}
