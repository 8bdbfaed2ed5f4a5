// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The processes of a demo whose JVM was killed, so that it could not end them. A file has a line for each process: its
 * id and when it began, because ids are used again.
 */
final class Leftovers {

    private static final long END_SECONDS = 10;

    private final Path file;

    Leftovers(Path directory) {
        this.file = directory.resolve("processes");
    }

    /** Notes a process that was just started. A line is added: a file that is written anew would be empty meanwhile. */
    void note(long pid) {
        List<String> lines = ProcessHandle.of(pid).map(Leftovers::line).stream().toList();
        try {
            Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(ProcessHandle process) {
        return process.pid() + " "
                + process.info().startInstant().map(Object::toString).orElse("unknown");
    }

    /** Ends what an earlier demo has noted and left, and returns how many processes that were. */
    int end() throws IOException, InterruptedException {
        if (!Files.exists(file)) {
            return 0;
        }
        List<String> lines = Files.readAllLines(file);
        List<ProcessHandle> left = lines.stream()
                .map(line -> ProcessHandle.of(Long.parseLong(line.split(" ")[0])))
                .flatMap(Optional::stream)
                .filter(process -> lines.contains(line(process)))
                .toList();
        left.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle process : left) {
            try {
                process.onExit().get(END_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                throw new IOException("process " + process.pid() + " of an earlier demo does not end", e);
            }
        }
        Files.delete(file);
        return left.size();
    }
}
