// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.holdfast.InvalidSettingsException;
import org.holdfast.Setting;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Reads the settings from the properties {@code holdfast.*} of an application, with Spring Boot's rules for names.
 *
 * <p>They are in no object of {@code @ConfigurationProperties}, so no endpoint shows them.
 */
final class EnvironmentSettings {

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
        requireKnown(environment);
        Map<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            bind(binder, SettingNames.of(setting), Bindable.of(String.class))
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
        return bind(binder, SettingNames.of(Setting.NODES), Bindable.listOf(String.class)).orElse(List.of()).stream()
                .map(String::strip)
                .filter(node -> !node.isEmpty())
                .collect(Collectors.joining(","));
    }

    /** Spring Boot's exception, and what it logs of it, have the value, and that may be a password: no cause, then. */
    private static <T> BindResult<T> bind(Binder binder, ConfigurationPropertyName name, Bindable<T> type) {
        try {
            return binder.bind(name, type);
        } catch (BindException e) {
            throw new InvalidSettingsException(List.of((e.getProperty() == null ? name : e.getName())
                    + " cannot be read: the numbers of a list have a gap, or placeholders refer to each other"));
        }
    }

    /** Returns the name as Spring Boot has it, such as {@code ttl-millis}. */
    static String dashed(Setting setting) {
        return setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What was meant by a misspelt name would have its default, or the value of another source. */
    private static void requireKnown(Environment environment) {
        Set<String> unknown = SettingNames.unknown(environment);
        if (!unknown.isEmpty()) {
            throw new InvalidSettingsException(
                    unknown.stream().map(name -> name + " is no setting").toList());
        }
    }
}
