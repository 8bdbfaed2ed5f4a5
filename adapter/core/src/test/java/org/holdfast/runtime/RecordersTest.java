// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecordersTest {

    /** Sees the class path as the application does, and of the JDK no flight recorder. */
    private static final class WithoutFlightRecorder extends URLClassLoader {

        WithoutFlightRecorder() {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() {
            return Arrays.stream(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                    .map(WithoutFlightRecorder::url)
                    .toArray(URL[]::new);
        }

        private static URL url(String path) {
            try {
                return Path.of(path).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(path, e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("jdk.jfr")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    @Test
    void flightRecorder_thatIsThere_isUsed() {
        assertThat(Recorders.FOUND).isInstanceOf(FlightEvents.class);
    }

    @Test
    void flightRecorder_thatIsHidden_isDoneWithout() throws Exception {
        try (WithoutFlightRecorder loader = new WithoutFlightRecorder();
                RedisServers redis = RedisServers.start(1)) {
            Class<?> holdfast = loader.loadClass(Holdfast.class.getName());
            assertThat(holdfast.getClassLoader()).isSameAs(loader);
            Object locks = holdfast.getMethod("connect", Map.class)
                    .invoke(null, Map.of("nodes", redis.uris(), "guard", "OFF"));
            Class<?> factoryType = loader.loadClass("org.holdfast.LockConnectionFactory");
            Class<?> connectionType = loader.loadClass("org.holdfast.LockConnection");
            Object connection = factoryType.getMethod("getConnection").invoke(locks);
            Object lease = connectionType.getMethod("acquire", String.class).invoke(connection, "a");
            Class<?> leaseType = loader.loadClass("org.holdfast.Lease");
            assertThat(leaseType.getMethod("isHeld").invoke(lease)).isEqualTo(true);
            leaseType.getMethod("release").invoke(lease);
            factoryType.getMethod("close").invoke(locks);
        }
    }

    @Test
    void flightEvents_withoutARecording_costNoObject() {
        FlightEvents events = new FlightEvents();
        assertThat(events.acquiring()).isSameAs(Recorder.NONE.acquiring()).isSameAs(events.acquiring());
        assertThat(events.queueing()).isSameAs(Recorder.NONE.queueing());
        assertThat(events.renewing()).isSameAs(Recorder.NONE.renewing());
    }
}
