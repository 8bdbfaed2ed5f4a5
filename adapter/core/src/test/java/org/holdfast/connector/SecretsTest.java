// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.Certificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings and objects of an adapter, and what goes wrong with them, do not tell its password. */
@Timeout(60)
class SecretsTest extends SecretsTold {

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
