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

    /** Returns whether nodes are named. */
    static boolean arePresent(Environment environment) {
        return !nodes(Binder.get(environment)).isEmpty();
    }

    /**
     * Returns the settings by their keys.
     *
     * @throws InvalidSettingsException if a property begins with {@code holdfast.} and is no setting
     */
    static Map<String, String> read(Environment environment) {
        Binder binder = Binder.get(environment);
        requireKnown(binder);
        Map<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            binder.bind(PREFIX + "." + dashed(setting), String.class)
                    .ifBound(value -> values.put(setting, value.strip()));
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
        return binder.bind(PREFIX + ".nodes", Bindable.listOf(String.class)).orElse(List.of()).stream()
                .map(String::strip)
                .filter(node -> !node.isEmpty())
                .collect(Collectors.joining(","));
    }

    /** Returns the name as Spring Boot has it, such as {@code ttl-millis}. */
    static String dashed(Setting setting) {
        return setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What was meant by a misspelt name would have its default. */
    private static void requireKnown(Binder binder) {
        Set<String> known = Arrays.stream(Setting.values())
                .map(Setting::key)
                .map(EnvironmentSettings::uniform)
                .collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        binder.bind(PREFIX, Bindable.mapOf(String.class, String.class))
                .orElse(Map.of())
                .keySet()
                .forEach(key -> {
                    if (!known.contains(uniform(key))
                            && !KUBERNETES.matcher(uniform(key)).matches()) {
                        unknown.add(PREFIX + "." + key);
                    }
                });
        if (!unknown.isEmpty()) {
            throw new InvalidSettingsException(
                    unknown.stream().map(name -> name + " is no setting").toList());
        }
    }

    private static String uniform(String name) {
        return name.replaceAll("[.\\[]\\d+]?$", "")
                .replaceAll("[^A-Za-z0-9]", "")
                .toLowerCase(Locale.ROOT);
    }
}
