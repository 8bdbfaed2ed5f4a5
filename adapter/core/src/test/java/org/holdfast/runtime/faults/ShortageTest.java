// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that may open no more files, or has no memory left: that is its own trouble, and no node's. */
@Tag("thorough")
@Timeout(120)
class ShortageTest {

    private static final int MOST_FILES = 300;
    private static final String OURS = "this process cannot open a connection: ";

    @ParameterizedTest
    @CsvSource({
        "QUARANTINE, 127.0.0.1, files, Too many open files",
        "OFF, 127.0.0.1, files, Too many open files",
        "OFF, localhost, files, Too many open files",
        "OFF, 127.0.0.1, memory, Cannot reserve"
    })
    void process_withoutFilesOrMemory_keepsItsLease_andBlamesNoNode(
            String guard, String host, String what, String failure) throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"))) {
            // a guard that loses its own connection sets the node aside until it can look again
            boolean kills = guard.equals("OFF");
            Callable<?> cut = () -> kills ? redis.get(0).command("CLIENT KILL TYPE normal") : "";
            Map<String, String> said = run(redis.uris().replace("127.0.0.1", host), guard, what, cut);
            assertThat(said.get("taken")).as(said.get("log")).contains(failure);
            assertThat(said).containsEntry("openConnections", "acquired");
            assertThat(said.get("newConnections")).contains(OURS + failure);
            assertThat(said)
                    .containsEntry("held", "true")
                    .containsEntry("renewed", "true")
                    .containsEntry("nodes", "up | up | up");
            assertThat(said).containsEntry("afterwards", "acquired").containsEntry("heldAfterwards", "true");
            assertThat(said.get("log").substring(said.get("log").indexOf(ProcessInNeed.BEGINS)))
                    .contains("HF0309: " + OURS + failure)
                    .doesNotContain("HF0301", "HF0307", "HF0209");
        }
    }

    /**
     * Returns what the program printed, by name; as {@code log} what it logged.
     *
     * @param meanwhile is done once it has nothing left
     */
    private static Map<String, String> run(String nodes, String guard, String what, Callable<?> meanwhile)
            throws Exception {
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n " + MOST_FILES + " && exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=1m",
                        "-XX:+DisableExplicitGC", // the JDK asks for one at each refusal: nothing else would run
                        "-cp",
                        System.getProperty("java.class.path"),
                        ProcessInNeed.class.getName(),
                        nodes,
                        guard,
                        what)
                .redirectErrorStream(true)
                .start();
        Map<String, String> said = new HashMap<>(Map.of("log", ""));
        try (BufferedReader lines = process.inputReader()) {
            String line;
            while ((line = lines.readLine()) != null) {
                int equals = line.indexOf('=');
                if (equals > 0 && line.substring(0, equals).matches("[a-zA-Z]+")) {
                    said.put(line.substring(0, equals), line.substring(equals + 1));
                } else {
                    said.merge("log", line, (before, more) -> before + "\n" + more);
                }
                if (line.startsWith("openConnections=")) {
                    meanwhile.call();
                }
            }
        } finally {
            process.destroyForcibly();
        }
        return said;
    }
}
