// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Servers may be without an API, or have an older one: what needs it would keep each application with a lock from being
 * deployed.
 */
class OptionalApisTest {

    private static final List<String> OPTIONAL =
            List.of("jakarta/ejb/", "jakarta/enterprise/concurrent/", "jakarta/ws/", "jakarta/websocket/");

    @Test
    void extension_needsNoOptionalApi() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("target", "classes"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".class")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(read(file)).doesNotContain(OPTIONAL));
        }
    }

    /** A class is named with slashes in a class file, a text with dots. */
    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), ISO_8859_1);
    }
}
