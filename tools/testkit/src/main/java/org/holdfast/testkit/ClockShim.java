// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A wall clock that a test sets, for real processes: a redis-server or a JVM. Their monotonic clocks stay as they are.
 *
 * <p>It is a small C library that is compiled here and preloaded into the process. Where there is no Linux and no C
 * compiler, there is no such clock: the test is skipped, as in {@code ClockShim clock =
 * ClockShim.in(directory).orElse(null); assumeTrue(clock != null, ClockShim.NEEDS);}.
 *
 * <p>All processes that were started with one clock share it. A process that is started again has it as it is set then.
 */
public final class ClockShim {

    /** What the machine of a test that is skipped lacks. */
    public static final String NEEDS = "moving the clock of a real process needs Linux and gcc";

    private static final long PATIENCE_SECONDS = 60;

    /** The library, once it is compiled: all clocks of this JVM have the same. */
    private static Optional<Path> compiled = Optional.empty();

    private final Path library;
    private final Path file;
    private final MappedByteBuffer offset;

    private ClockShim(Path library, Path file, MappedByteBuffer offset) {
        this.library = library;
        this.file = file;
        this.offset = offset;
    }

    /**
     * Makes a clock that is right.
     *
     * @param directory where it keeps its files; made if need be
     * @return empty if this machine cannot
     */
    public static Optional<ClockShim> in(Path directory) {
        try {
            Optional<Path> library = library();
            if (library.isEmpty()) {
                return Optional.empty();
            }
            Path home = Files.createTempDirectory(Files.createDirectories(directory.toAbsolutePath()), "clock-");
            return Optional.of(with(library.get(), home.resolve("offset")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static synchronized Optional<Path> library() throws IOException {
        if (compiled.isEmpty() && System.getProperty("os.name").startsWith("Linux")) {
            compiled = compile(Files.createTempDirectory("clock-"));
        }
        return compiled;
    }

    private static Optional<Path> compile(Path home) throws IOException {
        Path source = home.resolve("clockshim.c");
        Path log = home.resolve("gcc.log");
        Path library = home.resolve("clockshim.so");
        Stream.of(home, source, log, library).map(Path::toFile).forEach(File::deleteOnExit); // the last first
        try (InputStream resource = ClockShim.class.getResourceAsStream("clockshim.c")) {
            Files.copy(resource, source);
        }
        Process compiler;
        try {
            compiler = new ProcessBuilder("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            return Optional.empty(); // no gcc
        }
        try {
            boolean ended = compiler.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return ended && compiler.exitValue() == 0 ? Optional.of(library) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a library was compiled", e);
        }
    }

    private static ClockShim with(Path library, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer offset = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
            offset.order(ByteOrder.nativeOrder());
            return new ClockShim(library, file, offset);
        }
    }

    /**
     * Sets the clock of all its processes, from their next look at it on: so far ahead of the true time, or behind if
     * negative.
     */
    public void set(Duration ahead) {
        offset.putLong(0, ahead.toMillis());
    }

    /** Sets the clock right. */
    public void setRight() {
        set(Duration.ZERO);
    }

    /** Returns what the environment of a process needs to have this clock. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "HOLDFAST_CLOCK_OFFSET", file.toString());
    }
}
