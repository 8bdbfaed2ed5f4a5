// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** The Java for a server: our own if it is recent enough, else one that the machine has. */
final class Jdk {

    private static final Path INSTALLED = Path.of("/usr/lib/jvm");

    private Jdk() {}

    /**
     * Returns the home of a Java of at least this version: that of the build, that of {@code jdk21.home}, or an
     * installed one.
     */
    static Optional<Path> atLeast(int version) {
        Stream<Path> named = Stream.of(System.getProperty("java.home"), System.getProperty("jdk21.home", ""))
                .filter(home -> !home.isEmpty())
                .map(Path::of);
        return Stream.concat(named, installed())
                .filter(home -> version(home) >= version)
                .findFirst();
    }

    private static Stream<Path> installed() {
        if (!Files.isDirectory(INSTALLED)) {
            return Stream.empty();
        }
        try (Stream<Path> homes = Files.list(INSTALLED)) {
            return homes.sorted().toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** Returns the major version, 0 for what is no JDK. */
    private static int version(Path home) {
        Properties release = new Properties();
        try (Reader in = Files.newBufferedReader(home.resolve("release"))) {
            release.load(in);
            String version = release.getProperty("JAVA_VERSION", "\"0\"").replace("\"", "");
            return Files.isExecutable(home.resolve("bin/jcmd")) ? Integer.parseInt(version.split("\\D")[0]) : 0;
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
