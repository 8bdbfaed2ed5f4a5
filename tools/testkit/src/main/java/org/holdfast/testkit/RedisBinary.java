// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import redis.embedded.core.ExecutableProvider;

/** Where redis-server is: on the PATH, or else among the binaries that embedded-redis brings for this machine. */
final class RedisBinary {

    /**
     * What this process has unpacked, by directory: to unpack again would replace a binary that another thread is about
     * to run.
     */
    private static final Map<Path, Path> UNPACKED = new HashMap<>();

    private RedisBinary() {}

    /** @param directory where a binary may be unpacked to */
    static Path find(Path directory) throws IOException {
        Optional<Path> onPath = onPath();
        if (onPath.isPresent()) {
            return onPath.get();
        }
        synchronized (UNPACKED) {
            Path own = directory
                    .toAbsolutePath()
                    .resolve("of-" + ProcessHandle.current().pid());
            Path known = UNPACKED.get(own);
            if (known == null || !Files.isExecutable(known)) {
                known = unpack(own);
                UNPACKED.put(own, known);
            }
            return known;
        }
    }

    /** Each process has its own: another that unpacks at the same time would find or leave half a file. */
    private static Path unpack(Path own) throws IOException {
        return ExecutableProvider.newJarResourceProvider(
                        Files.createDirectories(own).toFile())
                .get()
                .toPath();
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
