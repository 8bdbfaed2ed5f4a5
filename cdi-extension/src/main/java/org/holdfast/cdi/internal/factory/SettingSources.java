// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.holdfast.Setting;
import org.holdfast.cdi.internal.operation.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * Where an application without an adapter has its settings: properties, else environment variables.
 *
 * @param properties the configuration of the application, by name; null for what is not set
 * @param propertyNames the names of the properties of the JVM
 * @param configuredNames the names that the configuration of the application lists. Some implementations of
 *     MicroProfile Config list variables too, in the form of properties
 * @param environment environment variables
 */
public record SettingSources(
        Function<String, @Nullable String> properties,
        Supplier<Set<String>> propertyNames,
        Supplier<Set<String>> configuredNames,
        Map<String, String> environment) {

    private static final String PROPERTY = "holdfast.";
    private static final String VARIABLE = "HOLDFAST_";

    /** What TomEE configures an adapter by is in the properties of its JVM. */
    private static final String OF_AN_ADAPTER = "holdfast.rar";

    /** What Kubernetes sets in a pod, behind the name of a service: that may begin as our variables do. */
    private static final Pattern OF_A_SERVICE =
            Pattern.compile("(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\\d+_(TCP|UDP|SCTP)(_.*)?)?)");

    /**
     * In the name of a property that sets a member of an annotation. The package of its class may begin as settings do:
     * {@code holdfast.shop.Sales/sell/Locked/ttl}.
     */
    private static final String OF_A_MEMBER = "/";

    private static final Pattern NOT_OF_A_VARIABLE = Pattern.compile("[^A-Za-z0-9_]");

    /** Returns those of the configuration that the application finds, of its JVM and of its process. */
    public static SettingSources of(Configuration configuration) {
        return new SettingSources(
                configuration::value,
                () -> System.getProperties().stringPropertyNames(),
                configuration::names,
                System.getenv());
    }

    /** @param origins receives where each value comes from: names without values, of which some are secret */
    Map<String, String> read(List<String> origins) {
        Map<String, String> settings = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            String property = set(properties.apply(setting.property()));
            String name = variable(setting);
            String variable = name == null ? null : environment.get(name);
            if (property != null) {
                settings.put(setting.key(), property);
                origins.add(setting.property()
                        + (variable == null || variable.equals(property)
                                ? ""
                                : " (" + name + " has another value, which is not used)"));
            } else if (variable != null) {
                settings.put(setting.key(), variable);
                origins.add(name);
            }
        }
        return settings;
    }

    /** Returns the name of the variable that is set, or null. */
    private @Nullable String variable(Setting setting) {
        return set(environment.get(setting.environmentVariable())) != null
                ? setting.environmentVariable()
                : set(environment.get(ofMicroProfile(setting))) != null ? ofMicroProfile(setting) : null;
    }

    /** MicroProfile Config takes this one for the property. So it has the same effect on a server without it. */
    private static String ofMicroProfile(Setting setting) {
        return VARIABLE + setting.key().toUpperCase(Locale.ROOT);
    }

    /** What is set to nothing is not set, as in MicroProfile Config. */
    private static @Nullable String set(@Nullable String value) {
        return value == null || value.isBlank() ? null : value;
    }

    /**
     * Returns the names that begin as those of settings, and are none. What was meant by one would have its default:
     * the locks of a process with another {@code keyPrefix} than the others keep none of them out.
     */
    Set<String> unknown() {
        Set<String> unknown = new TreeSet<>(environment.keySet());
        unknown.removeIf(name -> !name.startsWith(VARIABLE)
                || OF_A_SERVICE.matcher(name.substring(VARIABLE.length())).matches());
        propertyNames.get().stream().filter(SettingSources::isAsASetting).forEach(unknown::add);
        configuredNames.get().stream()
                .filter(name -> isAsASetting(name) && !isOfAVariable(name))
                .forEach(unknown::add);
        unknown.removeAll(known());
        return unknown;
    }

    private static boolean isAsASetting(String name) {
        return name.startsWith(PROPERTY) && !name.startsWith(OF_AN_ADAPTER) && !name.contains(OF_A_MEMBER);
    }

    /** Returns whether a property may be a variable in another form. The variable itself is looked at besides. */
    private boolean isOfAVariable(String property) {
        return environment.containsKey(
                NOT_OF_A_VARIABLE.matcher(property).replaceAll("_").toUpperCase(Locale.ROOT));
    }

    /** Without values: some are secret. */
    @Override
    public String toString() {
        return "properties and environment variables";
    }

    private static Set<String> known() {
        Set<String> known = new HashSet<>();
        for (Setting setting : Setting.values()) {
            known.addAll(List.of(setting.property(), setting.environmentVariable(), ofMicroProfile(setting)));
        }
        return known;
    }
}
