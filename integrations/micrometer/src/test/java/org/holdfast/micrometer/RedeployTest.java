// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Applications that are undeployed, each with a class loader of its own, while the JVM goes on. */
@Timeout(120)
class RedeployTest {

    /** An application that has bound its registry. */
    private record Application(URLClassLoader loader, AutoCloseable registry, AutoCloseable metrics) {

        static Application deploy() throws Exception {
            URL[] classPath = Arrays.stream(
                            System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(RedeployTest::url)
                    .toArray(URL[]::new);
            URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
            Object registry = newInstance(loader, "io.micrometer.core.instrument.simple.SimpleMeterRegistry");
            Object metrics = newInstance(loader, HoldfastMetrics.class.getName());
            metrics.getClass()
                    .getMethod("bindTo", loader.loadClass("io.micrometer.core.instrument.MeterRegistry"))
                    .invoke(metrics, registry);
            return new Application(
                    loader, () -> registry.getClass().getMethod("close").invoke(registry), (AutoCloseable) metrics);
        }

        private static Object newInstance(ClassLoader loader, String type) throws Exception {
            return loader.loadClass(type).getConstructor().newInstance();
        }
    }

    private static URL url(String file) {
        try {
            return Path.of(file).toUri().toURL();
        } catch (Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static void beginAndStopAService() {
        try (LockConnectionFactory locks =
                Holdfast.connect(Map.of("nodes", "redis://127.0.0.1:1", "keyPrefix", "redeployed"))) {
            assertThat(locks.nodeCount()).isOne();
        }
    }

    private static void awaitGone(WeakReference<ClassLoader> loader) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> {
            System.gc();
            return loader.get() == null;
        });
    }

    private static WeakReference<ClassLoader> undeployWithMetricsClosed() throws Exception {
        Application application = Application.deploy();
        beginAndStopAService();
        application.metrics().close();
        application.loader().close();
        return new WeakReference<>(application.loader());
    }

    private static WeakReference<ClassLoader> undeployWithRegistryClosed() throws Exception {
        Application application = Application.deploy();
        application.registry().close();
        beginAndStopAService();
        application.loader().close();
        return new WeakReference<>(application.loader());
    }

    @Test
    void close_ofTheMetrics_leavesNothingOfTheApplicationInTheJvm() throws Exception {
        awaitGone(undeployWithMetricsClosed());
    }

    @Test
    void close_ofTheRegistryOnly_leavesNothingWhenTheNextServiceHasBegun() throws Exception {
        awaitGone(undeployWithRegistryClosed());
    }

    /** The meters of a service that goes on must not keep the registry, nor what the registry keeps. */
    @Test
    void registry_thatIsDroppedWhileAServiceGoesOn_leavesNothingWhenTheNextServiceHasBegun() throws Exception {
        try (LockConnectionFactory locks =
                Holdfast.connect(Map.of("nodes", "redis://127.0.0.1:1", "keyPrefix", "goes-on"))) {
            assertThat(locks.nodeCount()).isOne();
            WeakReference<ClassLoader> loader = undeployWithNothingClosed();
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                System.gc();
                beginAndStopAService();
                return loader.get() == null;
            });
        }
    }

    private static WeakReference<ClassLoader> undeployWithNothingClosed() throws Exception {
        Application application = Application.deploy();
        application.loader().close();
        return new WeakReference<>(application.loader());
    }
}
