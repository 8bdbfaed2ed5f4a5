// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that outlive the JVM that has started them, and others that have their ids by then. */
class LeftoversTest {

    @TempDir
    private Path directory;

    private Process process;

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder("sleep", "600").start();
    }

    @AfterEach
    void end() {
        process.destroyForcibly().onExit().join();
    }

    @Test
    void process_thatWasNoted_isEndedByTheNextDemo() throws Exception {
        Leftovers ofTheKilled = new Leftovers(directory);
        ofTheKilled.note(process.pid());
        ofTheKilled.note(Long.MAX_VALUE); // has ended before it was noted
        assertThat(new Leftovers(directory).end()).isEqualTo(1);
        assertThat(process.isAlive()).isFalse();
        assertThat(new Leftovers(directory).end()).as("only once").isZero();
    }

    @Test
    void process_thatHasTheIdOfANotedOne_isLeftAlone() throws Exception {
        Files.writeString(directory.resolve("processes"), process.pid() + " 2020-01-01T00:00:00Z\n");
        assertThat(new Leftovers(directory).end()).isZero();
        assertThat(process.isAlive()).isTrue();
    }
}
