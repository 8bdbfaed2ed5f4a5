// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process whose heap is full for moments: what fails in such a moment must not be missing for ever. */
@Timeout(120)
class FullHeapTest {

    @Test
    void process_whoseHeapWasFullForMoments_renewsAsBefore_andKeepsNoLock() throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"))) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx16m",
                            "-XX:+UseSerialGC", // the others need long to see that there is nothing left
                            "-XX:-UseTLAB", // what threads have reserved would be left to them
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ProcessWithFullHeap.class.getName(),
                            redis.uris())
                    .redirectErrorStream(true)
                    .start();
            try {
                String said = new String(process.getInputStream().readAllBytes(), UTF_8);
                assertThat(said).contains("renewed=true", "free=6 of 6");
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
