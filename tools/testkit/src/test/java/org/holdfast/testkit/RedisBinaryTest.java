// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTest {

    @TempDir
    private Path directory;

    @Test
    @EnabledOnOs(OS.LINUX)
    void binary_openForWriting_isNotRunnableYet() throws Exception {
        Path binary = Files.copy(Path.of("/bin/true"), directory.resolve("binary"), StandardCopyOption.COPY_ATTRIBUTES);
        OutputStream writer = Files.newOutputStream(binary, StandardOpenOption.APPEND);
        try (writer) {
            assertThat(RedisBinary.isRunnable(binary)).isFalse();
        }
        assertThat(RedisBinary.isRunnable(binary)).isTrue();
    }
}
