// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A factory of the application's own, from settings: for a web module that has no resource adapter and produces no
 * factory. It exists from its first use until the application ends.
 */
public final class ConfiguredFactory {

    private static final String ENVIRONMENT = "HOLDFAST_";
    private static final String PROPERTY = "holdfast.";

    /** What Kubernetes sets in a pod, behind a prefix, for a service whose name begins as our variables do. */
    private static final Pattern OF_A_SERVICE =
            Pattern.compile("(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\\d+_(TCP|UDP|SCTP)(_.*)?)?)");

    private final Function<String, @Nullable String> properties;
    private final Map<String, String> environment;
    private final ReentrantLock creating = new ReentrantLock();
    private volatile @Nullable LockConnectionFactory created;

    /**
     * @param properties the configuration of the application, by name; null for what is not set
     * @param environment environment variables
     */
    public ConfiguredFactory(Function<String, @Nullable String> properties, Map<String, String> environment) {
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
        Set<String> known = new HashSet<>();
        for (Setting setting : Setting.values()) {
            String value = properties.apply(setting.property());
            for (String variable : List.of(setting.environmentVariable(), ofMicroProfile(setting))) {
                value = value == null ? environment.get(variable) : value;
                known.add(variable);
            }
            known.add(setting.property());
            if (value != null) {
                settings.put(setting.key(), value);
            }
        }
        addMisspelt(settings, known);
        return settings;
    }

    /** Returns the variable that MicroProfile Config takes for the property: so it has an effect without it too. */
    private static String ofMicroProfile(Setting setting) {
        return ENVIRONMENT + setting.key().toUpperCase(Locale.ROOT);
    }

    /**
     * Has names that are none of a setting refused with the settings: what was meant by one would have its default, and
     * a process with another {@code keyPrefix} than the others keeps none of them out.
     */
    private void addMisspelt(Map<String, String> settings, Set<String> known) {
        Set<String> names = new TreeSet<>(environment.keySet());
        names.removeIf(name -> !name.startsWith(ENVIRONMENT)
                || OF_A_SERVICE.matcher(name.substring(ENVIRONMENT.length())).matches());
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PROPERTY))
                .forEach(names::add);
        names.removeAll(known);
        names.forEach(name -> settings.put(name, ""));
    }

    void close() {
        LockConnectionFactory known = created;
        if (known != null) {
            known.close();
        }
    }
}
