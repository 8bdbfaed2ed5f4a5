// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process whose heap is full for moments: what fails in such a moment must not be missing for ever. */
@Timeout(120)
class FullHeapTest {

    @Test
    void process_whoseHeapWasFullForMoments_renewsAsBefore_andKeepsNoLock() throws Exception {
        assertThat(said(ProcessWithFullHeap.class)).contains("renewed=true", "free=6 of 6");
    }

    @Test
    void locks_thatAreGivenBackWithoutMemory_endWithTheirTtl_howeverTheyAreGivenBack() throws Exception {
        assertThat(said(EndsInFullHeap.class))
                .doesNotContain("without memory: 0")
                .contains("factory: free=3 of 3")
                .contains("connection: free=3 of 3")
                .contains("lock: free=3 of 3")
                .contains("semaphore: free=3 of 3");
    }

    /** Returns what a program says that runs with a small heap and three nodes. */
    private static String said(Class<?> program) throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"))) {
            Path said = Files.createTempFile(Path.of("target"), "full-heap", ".log");
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx16m",
                            "-XX:+UseSerialGC", // the others need long to see that there is nothing left
                            "-XX:-UseTLAB", // what threads have reserved would be left to them
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            program.getName(),
                            redis.uris())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try {
                if (!process.waitFor(90, TimeUnit.SECONDS)) {
                    new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start(); // it writes its threads
                    process.waitFor(5, TimeUnit.SECONDS);
                }
                return Files.readString(said);
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
