// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.holdfast.cdi.Locked;
import org.jspecify.annotations.Nullable;

/** What is set from outside in the place of an annotation's members. */
public final class Configuration {

    private static final String MICROPROFILE = "org.eclipse.microprofile.config.ConfigProvider";

    private final Source source;

    /**
     * What was found, and under which key.
     *
     * @param ofTheMethod whether the key names the method, and not all of a class or of an application
     */
    record Setting(String key, String value, boolean ofTheMethod) {}

    /** Where values come from. */
    public interface Source {

        /**
         * Returns the value of a key, or null.
         *
         * @param beanClass whose module may have a configuration of its own: this jar may be in the lib of an EAR,
         *     and the bean in one of its web modules
         */
        @Nullable
        String value(Class<?> beanClass, String key);

        /** Returns the keys that can be listed. There may be others that have a value. */
        default Set<String> names(Class<?> beanClass) {
            return System.getProperties().stringPropertyNames();
        }
    }

    public Configuration(Source source) {
        this.source = source;
    }

    /**
     * Returns that of MicroProfile Config where the application has it (which looks at system properties too), else
     * these.
     */
    public static Configuration ofTheApplication() {
        return new Configuration(isPresent() ? new MicroProfileSource() : (beanClass, key) -> System.getProperty(key));
    }

    private static boolean isPresent() {
        try {
            Class.forName(MICROPROFILE, false, Configuration.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns what is set for the application under a key, or null. */
    public @Nullable String value(String key) {
        return source.value(Configuration.class, key);
    }

    /** Returns what is set under a key for the module of a class, or null. */
    public @Nullable String value(Class<?> beanClass, String key) {
        return source.value(beanClass, key);
    }

    /** Returns the keys that are known to be set for the application. There may be others. */
    public Set<String> names() {
        return source.names(Configuration.class);
    }

    /** Returns what is set for a member: of the method, else of the class, else of the application. */
    Optional<Setting> find(Class<?> beanClass, String method, String member) {
        String last = Locked.class.getSimpleName() + "/" + member;
        String ofTheMethod = beanClass.getName() + "/" + method + "/" + last;
        for (String key : List.of(ofTheMethod, beanClass.getName() + "/" + last, last)) {
            String value = source.value(beanClass, key);
            if (value != null) {
                return Optional.of(new Setting(key, value, key.equals(ofTheMethod)));
            }
        }
        return Optional.empty();
    }
}
