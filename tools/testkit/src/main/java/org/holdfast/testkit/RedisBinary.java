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
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/** Where redis-server is: on the PATH, or else among the binaries that embedded-redis brings for this machine. */
final class RedisBinary {

    /**
     * What this process has unpacked, by directory: to unpack again would replace a binary that another thread is about
     * to run.
     */
    private static final Map<Path, Path> UNPACKED = new HashMap<>();

    private static final String TEXT_FILE_BUSY = "error=26,";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

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
        Path binary = ExecutableProvider.newJarResourceProvider(
                        Files.createDirectories(own).toFile())
                .get()
                .toPath();
        awaitNoWriter(binary);
        return binary;
    }

    private static void awaitNoWriter(Path binary) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!isRunnable(binary)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(binary + " is open for writing in another process");
            }
            Thread.onSpinWait(); // it runs its own program in a moment
        }
    }

    /**
     * Returns whether the system runs a file that this process has written. It refuses that ("Text file busy") while
     * another process has the file open for writing: one that another thread has started meanwhile, until that runs its
     * own program. Once the file has run, no process can open it so by that way.
     */
    static boolean isRunnable(Path binary) throws IOException {
        try {
            new ProcessBuilder(binary.toString(), "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
            return true;
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains(TEXT_FILE_BUSY)) {
                return false;
            }
            throw e;
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
