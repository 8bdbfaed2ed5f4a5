// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.resource.spi.ManagedConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Provokes failures with a password in every place, and looks for it in whatever can be read afterwards. */
@Timeout(60)
class SecretsTest {

    private static final String SECRET = "s3cret";

    /** Everything that is told: logs at every level, messages and stack traces, and what objects say of themselves. */
    private final StringWriter told = new StringWriter();

    private final PrintWriter out = new PrintWriter(told, true);
    private final Logger root = Logger.getLogger("");
    private final Level levelBefore = root.getLevel();
    private final PrintStream errorsBefore = System.err;

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            out.println(entry.getMessage());
            if (entry.getThrown() != null) {
                entry.getThrown().printStackTrace(out);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    private Path scratch;

    @BeforeEach
    void listen() {
        handler.setLevel(Level.ALL);
        root.setLevel(Level.ALL);
        root.addHandler(handler);
        System.setErr(new PrintStream(errorsBefore, true) {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                told.write(new String(bytes, offset, length));
                super.write(bytes, offset, length);
            }
        });
    }

    @AfterEach
    void listenNoMore() {
        System.setErr(errorsBefore);
        root.removeHandler(handler);
        root.setLevel(levelBefore);
    }

    private void mustFail(ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isNotNull();
        failure.printStackTrace(out);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://ada:s3cret@",
                "redis://ada:s3cret",
                "redis://:s3cret",
                "http://ada:s3cret@a",
                "ada:s3cret@a:7001",
                "redis:ada:s3cret@a",
                "redis://ada:s3cret@a:port",
                "redis://ada:s3cret@a:70000",
                "redis://ada:s3cret@a/database",
                "redis://ada:s3cret@a?tls=yes",
                "redis://ada:s3cret%zz@a",
                "redis://ada:s3cret @a",
                "redis://ada:s3cret/1@a",
                "redis://ada:s3cret@b@a",
                "redis://ada:s3cret@a,redis://ada:s3cret@b",
                "redis://ada:s3cret@a,redis://ada:s3cret@a",
                "redis://ada:1,s3cret,2@a",
                "redis://a,redis://ada:s3cret,2@b,redis://c",
            })
    void settings_thatAreInvalid_areReportedWithoutIt(String nodes) throws Exception {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        adapter.setNodes(nodes);
        adapter.setPassword(SECRET);
        adapter.setTrustStore("/no/such/store");
        adapter.setTrustStorePassword(SECRET);
        adapter.setKeyStorePassword(SECRET);
        adapter.setGuard("no such guard");
        LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
        factory.setResourceAdapter(adapter);
        mustFail(() -> adapter.start(null));
        mustFail(factory::createConnectionFactory);
        mustFail(() -> factory.createManagedConnection(null, null));
        mustFail(() -> Holdfast.connect(nodes));
        mustFail(() -> Holdfast.connect(Map.of("nodes", nodes, "password", SECRET)));
        out.println(adapter + " " + factory);
        assertThat(told.toString()).contains("nodes").doesNotContain(SECRET);
    }

    /** Where a password can be given. */
    private enum Place {
        PROPERTY {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://127.0.0.1:" + port);
                adapter.setUser("ada");
                adapter.setPassword(SECRET);
            }
        },
        ADDRESS {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://ada:" + SECRET + "@127.0.0.1:" + port);
            }
        },
        ADDRESSES_OF_SOME_NODES {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://127.0.0.1:" + port + ",redis://:" + SECRET + "@localhost:" + port
                        + ",redis://ada:" + SECRET + "@[::1]:1");
                adapter.setPassword(SECRET);
            }
        },
        FILE {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) throws IOException {
                adapter.setNodes("redis://127.0.0.1:" + port);
                adapter.setPasswordFile(Files.writeString(Files.createTempFile("password", null), SECRET + "\n")
                        .toString());
            }
        };

        abstract void give(HoldfastResourceAdapter adapter, int port) throws IOException;
    }

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

    @Test
    void store_thatDoesNotOpen_doesNotGetItTold() throws Exception {
        Path store = Certificates.in(scratch.resolve("authority")).trustStore();
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        adapter.setNodes("rediss://127.0.0.1:1");
        adapter.setTrustStore(store.toString());
        adapter.setTrustStorePassword(SECRET);
        adapter.setKeyStore(store.toString());
        adapter.setKeyStorePassword(SECRET);
        mustFail(() -> adapter.start(null));
        out.println(adapter.settings(Map.of()));
        assertThat(told.toString())
                .contains("trustStorePassword does not open", "keyStorePassword does not open")
                .doesNotContain(SECRET);
    }

    /**
     * Open Liberty writes the fields of an adapter, and those of what they refer to, into its log when something fails
     * in it.
     */
    @ParameterizedTest
    @EnumSource(Place.class)
    void fields_ofAnAdapter_doNotTellIt(Place place) throws Exception {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        place.give(adapter, 1);
        adapter.setTrustStorePassword(SECRET);
        adapter.setKeyStorePassword(SECRET);
        tellWhatFieldsHave(adapter, 3);
        assertThat(told.toString())
                .contains("whyNotStarted", "trustStorePassword") // of the adapter, and of a class that it extends
                .doesNotContain(SECRET);
    }

    /** As deep as so many levels, and not into the JDK, whose fields are closed to reflection. */
    private void tellWhatFieldsHave(Object object, int levels) throws IllegalAccessException {
        for (Class<?> type = object.getClass(); isOurs(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                field.setAccessible(true);
                Object value = field.get(object);
                out.println(field.getName() + " = " + (value instanceof String ? value : ""));
                if (value != null && levels > 1 && isOurs(value.getClass())) {
                    tellWhatFieldsHave(value, levels - 1);
                }
            }
        }
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("org.holdfast.");
    }

    @Test
    void resourceAdapter_thatFailsForAnotherReason_doesNotTellIt() throws Exception {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        adapter.setNodes("redis://ada:" + SECRET + "@127.0.0.1:1");
        adapter.setPassword(SECRET);
        adapter.setScheduler("java:comp/NoSuchThing");
        mustFail(() -> adapter.start(null));
        assertThat(told.toString()).contains("NoSuchThing").doesNotContain(SECRET);
    }

    @Test
    void standaloneFactory_thatFails_doesNotTellIt() throws Exception {
        try (LockConnectionFactory locks = Holdfast.connect(Map.of(
                        "nodes",
                        "redis://127.0.0.1:1,redis://ada:" + SECRET + "@127.0.0.1:2,redis://127.0.0.1:3",
                        "password",
                        SECRET));
                LockConnection connection = locks.getConnection()) {
            mustFail(() -> connection.acquire(LockRequest.of("order").waitTimeout(Duration.ZERO)));
            out.println(locks + " " + connection);
        }
        assertThat(told.toString()).contains("127.0.0.1:2").doesNotContain(SECRET);
    }
}
