// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.Setting;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds names that begin as those of settings, and are none, in each source of properties by itself: what was meant by
 * a misspelt name is not to be hidden by the right one in another source.
 */
final class SettingNames {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("holdfast");
    private static final ConfigurationPropertyName NODES = of(Setting.NODES);

    /** What Kubernetes sets in a pod, behind the name of a service: that may begin as our variables do. */
    private static final Pattern OF_A_SERVICE =
            Pattern.compile("(.*_)?(service_host|service_port(_.*)?|port(_\\d+_(tcp|udp|sctp)(_.*)?)?)");

    private SettingNames() {}

    /** Returns the name of the property that has a setting, such as {@code holdfast.ttl-millis}. */
    static ConfigurationPropertyName of(Setting setting) {
        return PREFIX.append(EnvironmentSettings.dashed(setting));
    }

    /** Returns the names that are no settings, each once; empty if there are none. */
    static Set<String> unknown(Environment environment) {
        Set<String> unknown = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(name -> PREFIX.isAncestorOf(name) && !isKnown(name, source))
                        .forEach(name -> unknown.add(name.toString()));
            }
        }
        return unknown;
    }

    private static boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        return isOfASetting(name)
                || isOneOfTheNodes(name, source)
                || source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                        && (isVariable(name, source)
                                || OF_A_SERVICE.matcher(text(name, "_")).matches());
    }

    private static boolean isOfASetting(ConfigurationPropertyName name) {
        return Arrays.stream(Setting.values()).anyMatch(setting -> of(setting).equals(name));
    }

    /** One of a list: a source that has all nodes in one text has none besides. */
    private static boolean isOneOfTheNodes(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        return NODES.isParentOf(name)
                && name.isNumericIndex(NODES.getNumberOfElements())
                && source.getConfigurationProperty(NODES) == null;
    }

    /** Spring Boot shows HOLDFAST_TTL_MILLIS as {@code holdfast.ttl.millis}, and binds it to the setting. */
    private static boolean isVariable(ConfigurationPropertyName shown, ConfigurationPropertySource source) {
        String dashed = text(shown, "-");
        return Arrays.stream(Setting.values())
                .filter(setting -> EnvironmentSettings.dashed(setting).equals(dashed))
                .anyMatch(setting -> source.getConfigurationProperty(of(setting)) != null);
    }

    /** Returns the parts of a name behind the prefix, in small letters. */
    private static String text(ConfigurationPropertyName name, String between) {
        return IntStream.range(PREFIX.getNumberOfElements(), name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, ConfigurationPropertyName.Form.UNIFORM))
                .collect(Collectors.joining(between));
    }
}
