// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.bootstrap.BootstrapConstants;
import io.quarkus.bootstrap.app.ApplicationModelSerializer;
import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quarkus runs no portable extension, so nothing would take the lock of {@code @Locked}: it must not build. */
@Timeout(120)
class RefusedTest {

    @TempDir
    Path classes;

    @TempDir
    Path target;

    private void compile(String code) throws Exception {
        Path source = Files.writeString(target.resolve("Sales.java"), code);
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-d", classes.toString(), source.toString()))
                .isZero();
    }

    private void build() throws Exception {
        Path model = Path.of(System.getProperty(BootstrapConstants.SERIALIZED_TEST_APP_MODEL));
        try (CuratedApplication application = QuarkusBootstrap.builder()
                .setApplicationRoot(classes)
                .setProjectRoot(Path.of("").toAbsolutePath())
                .setTargetDirectory(target)
                .setExistingModel(ApplicationModelSerializer.deserialize(model))
                .setMode(QuarkusBootstrap.Mode.TEST)
                .setTest(true)
                .build()
                .bootstrap()) {
            application.createAugmentor().createInitialRuntimeApplication();
        }
    }

    @Test
    void method_thatIsLocked_doesNotBuild() throws Exception {
        compile("""
                @jakarta.enterprise.context.ApplicationScoped
                public class Sales {
                    @org.holdfast.cdi.Locked("stock")
                    public void sell() {}
                }
                """);
        assertThatThrownBy(this::build).hasStackTraceContaining("HF0516").hasStackTraceContaining("Sales");
    }

    @Test
    void class_thatIsLocked_doesNotBuild() throws Exception {
        compile("""
                @jakarta.enterprise.context.ApplicationScoped
                @org.holdfast.cdi.Locked("stock")
                public class Sales {
                    public void sell() {}
                }
                """);
        assertThatThrownBy(this::build).hasStackTraceContaining("HF0516").hasStackTraceContaining("Sales");
    }

    @Test
    void bean_withoutLock_builds() throws Exception {
        compile("""
                @jakarta.enterprise.context.ApplicationScoped
                public class Sales {
                    public void sell() {}
                }
                """);
        build();
    }
}
