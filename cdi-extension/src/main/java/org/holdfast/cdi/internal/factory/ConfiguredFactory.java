// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A factory of the application's own, from settings: for a web module that has no resource adapter and produces no
 * factory. It exists from its first use until the application ends.
 */
public final class ConfiguredFactory {

    private final Function<String, @Nullable String> properties;
    private final Function<String, @Nullable String> environment;
    private final ReentrantLock creating = new ReentrantLock();
    private volatile @Nullable LockConnectionFactory created;

    /**
     * @param properties the configuration of the application, by name; null for what is not set
     * @param environment environment variables likewise
     */
    public ConfiguredFactory(
            Function<String, @Nullable String> properties, Function<String, @Nullable String> environment) {
        this.properties = properties;
        this.environment = environment;
    }

    /**
     * Returns the factory, opened if need be; none if no nodes are set, or the application has no implementation of
     * Holdfast.
     *
     * @throws org.holdfast.LockException if the settings are not valid, or a check at the start found no majority
     */
    Optional<LockConnectionFactory> find() {
        LockConnectionFactory known = created;
        return known == null ? create() : Optional.of(known);
    }

    private Optional<LockConnectionFactory> create() {
        creating.lock();
        try {
            if (created == null) {
                Map<String, String> settings = settings();
                if (!settings.containsKey(Setting.NODES.key()) || !isImplemented()) {
                    return Optional.empty();
                }
                created = Holdfast.connect(settings);
            }
            return Optional.ofNullable(created);
        } finally {
            creating.unlock();
        }
    }

    /** The settings may be meant for an adapter, which is not there: the API alone opens nothing. */
    private static boolean isImplemented() {
        return ServiceLoader.load(Holdfast.Provider.class, Holdfast.class.getClassLoader())
                .findFirst()
                .isPresent();
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            String value = properties.apply(setting.property());
            if (value == null) {
                value = environment.apply(setting.environmentVariable());
            }
            if (value != null) {
                settings.put(setting.key(), value);
            }
        }
        return settings;
    }

    void close() {
        LockConnectionFactory known = created;
        if (known != null) {
            known.close();
        }
    }
}
