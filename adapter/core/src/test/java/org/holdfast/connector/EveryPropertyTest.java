// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.resource.spi.ConfigProperty;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.runtime.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No property is forgotten on its way from a server's console: it makes an adapter another one, and reaches its
 * settings.
 */
class EveryPropertyTest {

    /** What is not the default, of each. */
    private static final Map<String, String> OTHER_VALUES = Map.ofEntries(
            Map.entry("nodes", "rediss://b"),
            Map.entry("user", "somebody"),
            Map.entry("password", "s3cret"),
            Map.entry("passwordFile", "/run/password"),
            Map.entry("trustStore", "/run/trust.p12"),
            Map.entry("trustStoreType", "JKS"),
            Map.entry("trustStorePassword", "s3cret"),
            Map.entry("keyStore", "/run/key.p12"),
            Map.entry("keyStoreType", "JKS"),
            Map.entry("keyStorePassword", "s3cret"),
            Map.entry("verifyHostName", "false"),
            Map.entry("keyPrefix", "own"),
            Map.entry("ttlMillis", "5000"),
            Map.entry("waitTimeoutMillis", "1"),
            Map.entry("nodeTimeoutMillis", "300"),
            Map.entry("maxLeaseTtlMillis", "50000"),
            Map.entry("fenceRetentionMillis", "700000"),
            Map.entry("driftFactor", "0.02"),
            Map.entry("commitMarginMillis", "2000"),
            Map.entry("ticketTtlMillis", "2000"),
            Map.entry("stopTimeoutMillis", "3000"),
            Map.entry("checkAtStart", "true"),
            Map.entry("release", "ASYNC"),
            Map.entry("guard", "OFF"),
            Map.entry("durable", "true"),
            Map.entry("previousMaxLeaseTtlMillis", "70000"),
            Map.entry("previousFenceRetentionMillis", "500000"),
            Map.entry("previousDriftFactor", "0.03"),
            Map.entry("scheduler", "java:/own"));

    /** These are refused without what they belong to. */
    private static final Map<String, String> BELONGS_TO = Map.of(
            "trustStoreType", "trustStore",
            "trustStorePassword", "trustStore",
            "keyStoreType", "keyStore",
            "keyStorePassword", "keyStore",
            "user", "password");

    /** Returns the class and those that it extends, the most general one first. */
    static Stream<Class<?>> lineage(Class<?> bean) {
        Class<?> parent = bean.getSuperclass();
        return parent == null ? Stream.empty() : Stream.concat(lineage(parent), Stream.of(bean));
    }

    private static Stream<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields()).filter(field -> field.isAnnotationPresent(ConfigProperty.class));
    }

    private static Stream<String> properties(Class<?> bean) {
        return lineage(bean).flatMap(EveryPropertyTest::fields).map(Field::getName);
    }

    static Stream<String> ofAdapter() {
        return properties(HoldfastResourceAdapter.class);
    }

    static Stream<String> ofFactory() {
        return properties(LockManagedConnectionFactory.class);
    }

    private static String accessor(String kind, String property) {
        return kind + property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
    }

    private static void set(Object bean, String property, String value) throws Exception {
        bean.getClass().getMethod(accessor("set", property), String.class).invoke(bean, value);
    }

    /** With nodes, and with what the property belongs to. */
    private static HoldfastResourceAdapter adapterFor(String property) throws Exception {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        adapter.setNodes("rediss://a");
        if (BELONGS_TO.containsKey(property)) {
            set(adapter, BELONGS_TO.get(property), OTHER_VALUES.get(BELONGS_TO.get(property)));
        }
        return adapter;
    }

    @ParameterizedTest
    @MethodSource("ofAdapter")
    void property_ofTheAdapter_makesItAnotherAndReachesTheSettings(String property) throws Exception {
        HoldfastResourceAdapter plain = adapterFor(property);
        HoldfastResourceAdapter other = adapterFor(property);
        Settings before = other.settings(Map.of());
        assertThat(other).isEqualTo(plain);

        set(other, property, OTHER_VALUES.get(property));
        assertThat(other).isNotEqualTo(plain).hasSameHashCodeAs(plain);
        if (property.equals("scheduler")) {
            assertThat(catchThrowable(() -> other.start(null))).hasMessageContaining("'java:/own'");
        } else {
            assertThat(other.settings(Map.of())).isNotEqualTo(before);
        }
        set(plain, property, OTHER_VALUES.get(property));
        assertThat(other).isEqualTo(plain);
    }

    private static Object get(Object bean, String property) throws Exception {
        return bean.getClass().getMethod(accessor("get", property)).invoke(bean);
    }

    @ParameterizedTest
    @MethodSource("ofAdapter")
    void property_ofTheAdapter_isReturnedAsItWasSet(String property) throws Exception {
        HoldfastResourceAdapter adapter = new HoldfastResourceAdapter();
        assertThat(get(adapter, property)).isNull();
        String value = property.equals("nodes") ? "redis://ada:s3cret@a" : OTHER_VALUES.get(property);
        set(adapter, property, value);
        assertThat(get(adapter, property)).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("ofFactory")
    void property_ofAFactory_isReturnedAsItWasSet(String property) throws Exception {
        LockManagedConnectionFactory factory = new LockManagedConnectionFactory();
        set(factory, property, OTHER_VALUES.get(property));
        assertThat(get(factory, property)).isEqualTo(OTHER_VALUES.get(property));
    }

    @ParameterizedTest
    @MethodSource("ofFactory")
    void property_ofAFactory_makesItAnother(String property) throws Exception {
        LockManagedConnectionFactory plain = new LockManagedConnectionFactory();
        LockManagedConnectionFactory other = new LockManagedConnectionFactory();
        set(other, property, OTHER_VALUES.get(property));
        assertThat(other).isNotEqualTo(plain).hasSameHashCodeAs(plain);
        set(plain, property, OTHER_VALUES.get(property));
        assertThat(other).isEqualTo(plain);
    }

    @ParameterizedTest
    @MethodSource("ofAdapter")
    void property_thatIsEmptyOrBlank_isNotSet(String property) throws Exception {
        if (!property.equals("nodes")) {
            for (String nothing : List.of("", " ")) {
                HoldfastResourceAdapter empty = adapterFor(property);
                set(empty, property, nothing);
                assertThat(empty).isEqualTo(adapterFor(property));
                assertThat(empty.settings(Map.of()))
                        .isEqualTo(adapterFor(property).settings(Map.of()));
            }
        }
    }

    /** A server would make {@code false} of a {@code yes}, and a node's certificate could then be for any host. */
    @ParameterizedTest
    @CsvSource({
        "verifyHostName, yes, 'verifyHostName must be true or false, was ''yes'''",
        "checkAtStart, 1, 'checkAtStart must be true or false, was ''1'''",
        "ttlMillis, 30s, 'ttlMillis must be 100 to 60000 ms, was ''30s'''",
        "driftFactor, little, 'driftFactor must be 0 to 0.5, was ''little'''"
    })
    void property_withAWrongValue_isRefusedByName(String property, String value, String fault) throws Exception {
        HoldfastResourceAdapter adapter = adapterFor(property);
        set(adapter, property, value);
        assertThat(catchThrowable(() -> adapter.settings(Map.of()))).hasMessageContaining(fault);
    }

    static Stream<Class<?>> declaring() {
        return Stream.of(HoldfastResourceAdapter.class, LockManagedConnectionFactory.class)
                .flatMap(EveryPropertyTest::lineage);
    }

    /**
     * Open Liberty and GlassFish read defaults of an object of the class that declares the property: Open Liberty from
     * the field, GlassFish from a getter that is declared there, too.
     */
    @ParameterizedTest
    @MethodSource("declaring")
    void class_withProperties_isMadeByServersAndHasNoDefaults(Class<?> type) throws Exception {
        assertThat(type).isPublic();
        assertThat(Modifier.isAbstract(type.getModifiers())).isFalse();
        Object bean = type.getConstructor().newInstance();
        for (Field field : fields(type).toList()) {
            field.setAccessible(true);
            assertThat(field.get(bean)).as(field.getName()).isNull();
            assertThat(field.getType()).isEqualTo(String.class);
            assertThat(type.getDeclaredMethod(accessor("get", field.getName())).invoke(bean))
                    .as(field.getName())
                    .isNull();
        }
    }

    @Test
    void properties_areThoseOfThePage() throws Exception {
        List<String> documented = Files.readAllLines(Path.of("..", "..", "docs", "settings.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();
        assertThat(ofAdapter()).containsExactlyElementsOf(documented);
        assertThat(ofAdapter().collect(Collectors.toSet()))
                .containsAll(ofFactory().collect(Collectors.toSet()));
        assertThat(Set.copyOf(documented)).isEqualTo(OTHER_VALUES.keySet());
    }
}
