// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Setting;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Reads the settings from the properties {@code holdfast.*} of an application, with Spring Boot's rules for names.
 *
 * <p>They are in no object of {@code @ConfigurationProperties}, so no endpoint shows them.
 */
final class EnvironmentSettings {

    private static final String PREFIX = "holdfast";

    /** What Kubernetes sets for a service whose name begins with holdfast. */
    private static final Pattern KUBERNETES =
            Pattern.compile(".*(servicehost|serviceport.*|port([0-9]+(tcp|udp|sctp).*)?)");

    private EnvironmentSettings() {}

    /**
     * Returns whether nodes are named.
     *
     * @throws InvalidSettingsException if they cannot be read
     */
    static boolean arePresent(Environment environment) {
        return !nodes(Binder.get(environment)).isEmpty();
    }

    /**
     * Returns the settings by their keys.
     *
     * @throws InvalidSettingsException if a property begins with {@code holdfast.} and is no setting, or cannot be read
     */
    static Map<String, String> read(Environment environment) {
        Binder binder = Binder.get(environment);
        requireKnown(binder);
        Map<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            bind(binder, name(setting), Bindable.of(String.class)).ifBound(value -> values.put(setting, value.strip()));
        }
        values.put(Setting.NODES, nodes(binder));
        Map<String, String> settings = new HashMap<>();
        values.forEach((setting, value) -> {
            if (!value.isEmpty()) {
                settings.put(setting.key(), value);
            }
        });
        return settings;
    }

    /** In YAML they may be a list. */
    private static String nodes(Binder binder) {
        return bind(binder, name(Setting.NODES), Bindable.listOf(String.class)).orElse(List.of()).stream()
                .map(String::strip)
                .filter(node -> !node.isEmpty())
                .collect(Collectors.joining(","));
    }

    /** Spring Boot's exception, and what it logs of it, have the value, and that may be a password: no cause, then. */
    private static <T> BindResult<T> bind(Binder binder, String name, Bindable<T> type) {
        try {
            return binder.bind(name, type);
        } catch (BindException e) {
            throw new InvalidSettingsException(List.of((e.getProperty() == null ? name : e.getName())
                    + " cannot be read: the numbers of a list have a gap, or placeholders refer to each other"));
        }
    }

    private static String name(Setting setting) {
        return PREFIX + "." + dashed(setting);
    }

    /** Returns the name as Spring Boot has it, such as {@code ttl-millis}. */
    static String dashed(Setting setting) {
        return setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What was meant by a misspelt name would have its default. */
    private static void requireKnown(Binder binder) {
        Map<String, Setting> known =
                Arrays.stream(Setting.values()).collect(Collectors.toMap(each -> uniform(each.key()), each -> each));
        Set<String> unknown = new TreeSet<>();
        bind(binder, PREFIX, Bindable.mapOf(String.class, String.class))
                .orElse(Map.of())
                .keySet()
                .forEach(key -> {
                    Setting setting = known.get(uniform(key));
                    boolean isSetting = setting != null && isNameOf(setting, key, binder);
                    if (!isSetting && !KUBERNETES.matcher(uniform(key)).matches()) {
                        unknown.add(PREFIX + "." + key.replaceAll("\\.(\\d+)$", "[$1]"));
                    }
                });
        if (!unknown.isEmpty()) {
            throw new InvalidSettingsException(
                    unknown.stream().map(name -> name + " is no setting").toList());
        }
    }

    /** A name with a dot or a number is one if it is a variable, such as HOLDFAST_TTL_MILLIS: Spring Boot binds it. */
    private static boolean isNameOf(Setting setting, String key, Binder binder) {
        return setting == Setting.NODES
                || !key.contains(".")
                || bind(binder, name(setting), Bindable.of(String.class)).isBound();
    }

    private static String uniform(String name) {
        return name.replaceAll("[.\\[]\\d+]?$", "")
                .replaceAll("[^A-Za-z0-9]", "")
                .toLowerCase(Locale.ROOT);
    }
}
