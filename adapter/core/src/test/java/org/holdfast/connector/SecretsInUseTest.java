// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.resource.spi.ManagedConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An adapter whose nodes refuse its password, or do worse, does not tell it. */
@Timeout(60)
class SecretsInUseTest extends SecretsTold {

    /** Uses whatever there is to be used, in vain, and asks everything for its name. */
    private void useInVain(Place place, int port) throws Exception {
        try (Recording recording = new Recording(Configuration.getConfiguration("profile"));
                RunningAdapter running = new RunningAdapter("redis://127.0.0.1:1")) {
            recording.enable("jdk.JavaExceptionThrow"); // as newer JDKs do; also of exceptions that are never shown
            recording.start();
            HoldfastResourceAdapter adapter = running.adapter;
            adapter.stop();
            place.give(adapter, port);
            adapter.setGuard(null);
            adapter.setNodeTimeoutMillis("1000");
            adapter.start(running);
            ManagedConnection managed = running.managed();
            managed.setLogWriter(out);
            LockConnection handle = RunningAdapter.handle(managed);
            LockRequest request = LockRequest.of("order").waitTimeout(Duration.ofMillis(100));
            mustFail(() -> handle.acquire(request));
            mustFail(() -> handle.tryAcquire(request));
            mustFail(() -> handle.acquireAsync(request.detached()).get());
            mustFail(() -> handle.lock("order").tryLock());
            mustFail(() -> managed.associateConnection("foreign"));
            mustFail(managed::getXAResource);
            LockConnectionFactory locks = (LockConnectionFactory) running.factory.createConnectionFactory();
            out.println(
                    adapter + " " + running.factory + " " + managed + " " + managed.getMetaData() + " " + handle + " "
                            + locks + " " + ((LockManagedConnection) managed).service() + " "
                            + adapter.settings(Map.of()));
            tellWhatJmxShows();
            tellWhatThreadsAreCalled();
            tellWhatIsSerialized(adapter, running.factory, locks, managed, handle);
            adapter.stop();
            mustFail(() -> handle.acquire(request));
            mustFail(locks::getConnection);
            tellWhatIsRecorded(recording);
        }
    }

    /** Names of threads are in each line of a log, in dumps and in recordings. */
    private void tellWhatThreadsAreCalled() {
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            out.println(thread);
        }
    }

    private void tellWhatIsSerialized(Object... objects) throws IOException {
        for (Object object : objects) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream serial = new ObjectOutputStream(bytes)) {
                serial.writeObject(object);
            } catch (NotSerializableException e) {
                out.println("not serialized: " + e.getMessage());
            }
            out.println(bytes.toString(StandardCharsets.ISO_8859_1));
        }
    }

    private void tellWhatIsRecorded(Recording recording) throws IOException {
        Path file = scratch.resolve("secrets.jfr");
        recording.stop();
        recording.dump(file);
        RecordingFile.readAllEvents(file).forEach(out::println);
    }

    private void tellWhatJmxShows() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName name : server.queryNames(new ObjectName("org.holdfast:*"), null)) {
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                Object value = server.getAttribute(name, attribute.getName());
                out.println(value instanceof TabularData table ? table.values() : value);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void node_thatRefusesIt_doesNotGetItTold(Place place) throws Exception {
        try (RedisServer redis = RedisServer.start(scratch)) {
            redis.command("CONFIG SET requirepass another");
            useInVain(place, redis.port());
        }
        assertThat(told.toString()).contains("WRONGPASS").doesNotContain(SECRET);
    }

    /** Redis repeats the arguments of a command that it does not know. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void node_thatDoesNotKnowTheCommand_doesNotGetItTold(Place place) throws Exception {
        try (RedisServer redis = RedisServer.start(scratch, "--rename-command", "AUTH", "ENTER")) {
            useInVain(place, redis.port());
        }
        assertThat(told.toString()).contains("unknown command").doesNotContain(SECRET);
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void node_thatIsNotThere_doesNotGetItTold(Place place) throws Exception {
        useInVain(place, 1);
        assertThat(told.toString()).contains("refused").doesNotContain(SECRET);
    }

    /** Not Redis, and sends back what it gets. */
    @ParameterizedTest
    @EnumSource(Place.class)
    void node_thatRepeatsEverything_doesNotGetItTold(Place place) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread echo = new Thread(() -> repeatAll(server), "echo");
            echo.setDaemon(true);
            echo.start();
            useInVain(place, server.getLocalPort());
        }
        assertThat(told.toString()).contains("order").doesNotContain(SECRET);
    }

    /** As an error, so that the client believes it to be one. */
    private static void repeatAll(ServerSocket server) {
        byte[] bytes = new byte[8_192];
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                int length = socket.getInputStream().read(bytes);
                String sent = new String(bytes, 0, Math.max(0, length)).replaceAll("[\r\n]+", " ");
                socket.getOutputStream().write(("-ERR what is " + sent + "\r\n").getBytes());
            } catch (IOException e) {
                // the client has gone, or the test is over
            }
        }
    }
}
