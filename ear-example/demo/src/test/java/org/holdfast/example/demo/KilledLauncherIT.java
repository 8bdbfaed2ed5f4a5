// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A launcher that is killed while it waits for the first answer of what it has started. */
@Timeout(120)
class KilledLauncherIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Found on the PATH in the place of redis-server, as one that hangs when it starts. */
    private static final String NEVER_ANSWERS = "#!/bin/sh\nexec sleep 600\n";

    @TempDir
    private Path directory;

    private Process launcher;
    private List<ProcessHandle> launched = List.of();

    @AfterEach
    void end() {
        launched.forEach(ProcessHandle::destroyForcibly);
        launcher.destroyForcibly().onExit().join();
    }

    private Process launch() throws IOException {
        Path programs = Files.createDirectory(directory.resolve("programs"));
        Path redis = Files.writeString(programs.resolve("redis-server"), NEVER_ANSWERS);
        Files.setPosixFilePermissions(redis, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "target",
                        directory.toString(),
                        Integer.toString(FreePorts.inARow(2)),
                        "1",
                        "false")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("launcher.out").toFile());
        builder.environment().merge("PATH", programs.toString(), (old, ours) -> ours + File.pathSeparator + old);
        return builder.start();
    }

    @Test
    void process_thatDoesNotAnswerWhenItsLauncherIsKilled_isEndedByTheNextDemo() throws Exception {
        launcher = launch();
        Path noted = directory.resolve("processes");
        await().atMost(PATIENCE).until(() -> launcher.children().count() == 1);
        launched = launcher.children().toList();
        await().atMost(PATIENCE).until(() -> Files.exists(noted) && Files.size(noted) > 0);
        launcher.destroyForcibly().onExit().join();

        assertThat(new Leftovers(directory).end()).isEqualTo(1);
        assertThat(launched).noneMatch(ProcessHandle::isAlive);
    }
}
