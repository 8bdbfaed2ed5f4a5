// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.util.HashSet;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

/** MicroProfile Config, in a class of its own: it is loaded only where there is such a thing. */
final class MicroProfileSource implements Configuration.Source {

    @Override
    public @Nullable String value(Class<?> beanClass, String key) {
        try {
            return ConfigProvider.getConfig(beanClass.getClassLoader())
                    .getOptionalValue(key, String.class)
                    .orElse(null);
        } catch (IllegalStateException e) { // the API alone, without an implementation
            return System.getProperty(key);
        }
    }

    @Override
    public Set<String> names(Class<?> beanClass) {
        Set<String> names = new HashSet<>();
        try {
            ConfigProvider.getConfig(beanClass.getClassLoader())
                    .getPropertyNames()
                    .forEach(names::add);
            return names;
        } catch (IllegalStateException e) { // as above
            return Configuration.Source.super.names(beanClass);
        }
    }
}
