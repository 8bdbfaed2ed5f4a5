// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.resource.ResourceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Containers keep pools by factory: those with the same configuration are the same. */
class FactoryEqualityTest {

    private static LockManagedConnectionFactory factory(String nodes) throws ResourceException {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        adapter.setNodes(nodes);
        LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
        factory.setResourceAdapter(adapter);
        return factory;
    }

    @Test
    void factories_ofEqualAdapters_areEqual() throws Exception {
        assertThat(factory("redis://a"))
                .isEqualTo(factory("redis://a"))
                .hasSameHashCodeAs(factory("redis://a"))
                .isNotEqualTo(factory("redis://b"))
                .isNotEqualTo(new LockManagedConnectionFactory())
                .isNotEqualTo("foreign");
        assertThat(new LockManagedConnectionFactory()).isEqualTo(new LockManagedConnectionFactory());
    }

    static Stream<Consumer<LockManagedConnectionFactory>> overrides() {
        return Stream.of(
                factory -> factory.setKeyPrefix("own"),
                factory -> factory.setTtlMillis("500"),
                factory -> factory.setWaitTimeoutMillis("0"),
                factory -> factory.setRelease("ASYNC"));
    }

    @ParameterizedTest
    @MethodSource("overrides")
    void factories_whichDifferInOneProperty_areDifferent(Consumer<LockManagedConnectionFactory> override)
            throws Exception {
        LockManagedConnectionFactory one = factory("redis://a");
        LockManagedConnectionFactory other = factory("redis://a");
        override.accept(one);
        assertThat(one).isNotEqualTo(other);
        override.accept(other);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    }

    @Test
    void factory_withAnEmptyProperty_isLikeOneThatHasNone() throws Exception {
        LockManagedConnectionFactory empty = factory("redis://a");
        empty.setKeyPrefix("");
        assertThat(empty).isEqualTo(factory("redis://a"));
    }

    @ParameterizedTest
    @MethodSource("overrides")
    void factory_inAHashSet_isFoundAfterItWasConfigured(Consumer<LockManagedConnectionFactory> override)
            throws Exception {
        LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
        Set<LockManagedConnectionFactory> known = new HashSet<>(Set.of(factory));
        override.accept(factory);
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        factory.setResourceAdapter(adapter);
        adapter.setNodes("redis://a");
        assertThat(known.contains(factory)).isTrue();
    }

    @Test
    void factory_thatHasAnAdapter_keepsIt() throws Exception {
        LockManagedConnectionFactory factory = factory("redis://a");
        factory.setResourceAdapter(factory.getResourceAdapter());
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> factory.setResourceAdapter(new HoldfastResourceAdapter()))
                .withMessageContaining("must not change");
    }

    @Test
    void factory_thatWasSerialized_isEqualAgainWithItsAdapter() throws Exception {
        LockManagedConnectionFactory factory = factory("redis://a");
        factory.setKeyPrefix("own");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(factory);
        LockManagedConnectionFactory read = (LockManagedConnectionFactory)
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        assertThat(read).isNotEqualTo(factory);
        read.setResourceAdapter(factory.getResourceAdapter());
        assertThat(read).isEqualTo(factory);
    }
}
