// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import redis.embedded.core.ExecutableProvider;

/** Where redis-server is: on the PATH, or else among the binaries that embedded-redis brings for this machine. */
final class RedisBinary {

    private RedisBinary() {}

    /** @param directory where a binary may be unpacked to */
    static Path find(Path directory) throws IOException {
        Optional<Path> onPath = onPath();
        if (onPath.isPresent()) {
            return onPath.get();
        }
        synchronized (RedisBinary.class) {
            // each process has its own: another that unpacks at the same time would find or leave half a file
            Path own = directory.resolve("of-" + ProcessHandle.current().pid());
            Path unpacked = Files.createDirectories(own).toAbsolutePath();
            return ExecutableProvider.newJarResourceProvider(unpacked.toFile())
                    .get()
                    .toPath();
        }
    }

    private static Optional<Path> onPath() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
