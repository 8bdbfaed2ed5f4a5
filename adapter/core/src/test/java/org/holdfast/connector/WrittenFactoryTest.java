// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnectionFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.naming.Reference;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A factory in a field of a stateful bean, which a container writes and reads again. */
@Timeout(60)
class WrittenFactoryTest {

    private static final String SECRET = "s3cret";

    private static RedisServers redis;
    private RunningAdapter running;

    @BeforeAll
    static void startNodes() {
        redis = RedisServers.start(1);
    }

    @AfterAll
    static void stopNodes() {
        redis.close();
    }

    @BeforeEach
    void start() throws Exception {
        running = new RunningAdapter(redis.uris());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    /** As WildFly's, which refers to what cannot be written. */
    private static final class UnwritableManager implements ConnectionManager {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final Object service = new Object();

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            assertThat(service).isNotNull();
            return factory.createManagedConnection(null, info).getConnection(null, info);
        }
    }

    /** As TomEE's, whose copies have no pool. */
    private static final class ManagerOfAPool implements ConnectionManager {

        private static final long serialVersionUID = 1L;

        private final transient ConnectionManager pool = new NonManagedConnectionManager();

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            return pool.allocateConnection(factory, info);
        }
    }

    /** The class path as another process has it, with classes of its own. */
    private static final class OtherClasses extends URLClassLoader {

        OtherClasses() throws IOException {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() throws IOException {
            List<URL> urls = new ArrayList<>();
            for (String path : System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
                urls.add(Path.of(path).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        }
    }

    private static byte[] write(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes, ClassLoader classes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
                return Class.forName(type.getName(), false, classes);
            }
        }) {
            return in.readObject();
        }
    }

    private static LockConnectionFactory read(byte[] bytes) throws IOException, ClassNotFoundException {
        return (LockConnectionFactory) read(bytes, WrittenFactoryTest.class.getClassLoader());
    }

    private LockConnectionFactory newFactory(ConnectionManager manager) throws ResourceException {
        return (LockConnectionFactory) running.factory.createConnectionFactory(manager);
    }

    /** Writes one to which nothing refers afterwards, and neither to its manager, as on Payara. */
    private byte[] writeOneThatIsDropped(Supplier<ConnectionManager> managers) throws Exception {
        List<WeakReference<?>> dropped = new ArrayList<>();
        byte[] bytes = writeOneWith(managers.get(), dropped);
        dropped.forEach(WrittenFactoryTest::awaitGone);
        return bytes;
    }

    private byte[] writeOneWith(ConnectionManager manager, List<WeakReference<?>> made) throws Exception {
        LockConnectionFactory locks = newFactory(manager);
        made.add(new WeakReference<>(locks));
        made.add(new WeakReference<>(manager));
        return write(locks);
    }

    private static void awaitGone(WeakReference<?> dropped) {
        await().until(() -> {
            System.gc();
            return dropped.get() == null;
        });
    }

    private static void assertThatItLocks(LockConnectionFactory locks) throws Exception {
        try (LockConnection connection = locks.getConnection()) {
            assertThat(connection.acquire("written").isHeld()).isTrue();
        }
        assertThat(locks.nodeCount()).isEqualTo(1);
        assertThat(locks.status().isUsable()).isTrue();
    }

    private static void assertThatItHasGone(LockConnectionFactory locks) {
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> locks.getConnection().acquire("gone"))
                .withMessageStartingWith("HF0422: ")
                .withMessageEndingWith("Look the factory up again");
        assertThatExceptionOfType(LockException.class)
                .isThrownBy(() -> locks.validate(LockRequest.of("gone")))
                .withMessageStartingWith("HF0422: ");
        assertThatExceptionOfType(LockException.class).isThrownBy(locks::status).withMessageStartingWith("HF0422: ");
    }

    @Test
    void factory_thatIsReadAgain_isTheOneThatWasWritten() throws Exception {
        LockConnectionFactory locks = newFactory(new UnwritableManager());
        byte[] bytes = write(locks);
        assertThat(read(bytes)).isSameAs(locks).isSameAs(read(write(locks)));
        assertThatItLocks(read(bytes));
    }

    @Test
    void factories_ofOneAdapter_areNotTakenForEachOther() throws Exception {
        LockConnectionFactory one = newFactory(new UnwritableManager());
        LockConnectionFactory other = newFactory(new UnwritableManager());
        byte[] bytes = write(List.of(one, other));
        assertThat(read(bytes, getClass().getClassLoader())).isEqualTo(List.of(one, other));
    }

    @Test
    void factory_thatNobodyKept_isMadeAgainWithTheManagerThatWasWritten() throws Exception {
        LockConnectionFactory read = read(writeOneThatIsDropped(NonManagedConnectionManager::new));
        assertThatItLocks(read);
        assertThat(read(write(read))).isSameAs(read);
    }

    @Test
    void factory_thatNobodyKept_whoseManagerLives_isMadeAgainWithThat() throws Exception {
        for (ConnectionManager manager : List.of(new ManagerOfAPool(), new UnwritableManager())) {
            List<WeakReference<?>> made = new ArrayList<>();
            byte[] bytes = writeOneWith(manager, made);
            awaitGone(made.get(0));
            assertThatItLocks(read(bytes));
            assertThat(manager).isSameAs(made.get(1).get());
        }
    }

    @Test
    void factory_thatNobodyKept_whoseManagerCannotBeWritten_isToBeLookedUpAgain() throws Exception {
        assertThatItHasGone(read(writeOneThatIsDropped(UnwritableManager::new)));
    }

    @Test
    void factory_afterAStop_isToBeLookedUpAgain_andIsThereAfterTheNextStart() throws Exception {
        LockConnectionFactory locks = newFactory(new NonManagedConnectionManager());
        byte[] bytes = write(locks);
        running.adapter.stop();
        assertThatItHasGone(read(bytes));
        byte[] writtenAgain = write(read(bytes));
        running.adapter.start(running);
        assertThat(read(bytes)).isSameAs(locks).isSameAs(read(writtenAgain));
    }

    @Test
    void factory_inAnotherProcess_isToBeLookedUpAgain() throws Exception {
        byte[] bytes = write(newFactory(new NonManagedConnectionManager()));
        try (OtherClasses classes = new OtherClasses()) {
            Class<?> type = classes.loadClass(LockConnectionFactory.class.getName());
            Object read = read(bytes, classes);
            assertThat(read).isInstanceOf(type).isNotInstanceOf(LockConnectionFactory.class);
            assertThatExceptionOfType(InvocationTargetException.class)
                    .isThrownBy(() -> type.getMethod("nodeCount").invoke(read))
                    .havingCause()
                    .withMessageStartingWith("HF0422: ");
        }
    }

    /** A Reference of a foreign stream may name what is loaded and called. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytes_ofAFactory_haveNoSettingAndNoReference(boolean withManager) throws Exception {
        running.adapter.stop();
        running.adapter.setNodes("redis://ada:" + SECRET + "@localhost:1");
        running.adapter.setPassword(SECRET);
        running.factory.setKeyPrefix("of-the-factory");
        LockConnectionFactoryImpl locks = (LockConnectionFactoryImpl)
                newFactory(withManager ? new NonManagedConnectionManager() : new UnwritableManager());
        locks.setReference(new Reference("of-the-reference"));
        byte[] bytes = write(locks);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                .contains("Written")
                .doesNotContain(SECRET, "localhost", "of-the-factory", "of-the-reference");
        assertThat(bytes).hasSizeLessThan(600);
    }

    @Test
    void adapter_whoseFactoryWasWritten_isNotKeptByThat() throws Exception {
        WeakReference<HoldfastResourceAdapter> dropped = writeAndStopAnother();
        awaitGone(dropped);
    }

    private static WeakReference<HoldfastResourceAdapter> writeAndStopAnother() throws Exception {
        try (RunningAdapter another = new RunningAdapter(redis.uris())) {
            write(another.factory.createConnectionFactory(new NonManagedConnectionManager()));
            return new WeakReference<>(another.adapter);
        }
    }
}
