// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@link Holdfast} finds its implementation. */
class HoldfastTest {

    /** What its caller sees shows that it was found. */
    public static final class Implementation implements Holdfast.Provider {
        @Override
        public LockConnectionFactory connect(Map<String, String> settings) {
            throw new IllegalArgumentException("implementation for " + settings);
        }

        @Override
        public LockOperations operate(Map<String, String> settings) {
            throw new IllegalArgumentException("operations for " + settings);
        }
    }

    @Test
    void connect_withoutAnImplementation_isRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.connect("redis://a"))
                .withMessageContaining("no implementation of Holdfast");
    }

    @Test
    void connect_implementationBesideTheCallerOnly_takesIt(@TempDir Path application) throws Exception {
        Path services = Files.createDirectories(application.resolve("META-INF/services"));
        Files.writeString(services.resolve(Holdfast.Provider.class.getName()), Implementation.class.getName());
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {application.toUri().toURL()}, before)) {
            caller.setContextClassLoader(loader);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Holdfast.connect("redis://a"))
                    .withMessage("implementation for {nodes=redis://a}");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Holdfast.operate(Map.of("nodes", "redis://a")))
                    .withMessage("operations for {nodes=redis://a}");
        } finally {
            caller.setContextClassLoader(before);
        }
    }
}
