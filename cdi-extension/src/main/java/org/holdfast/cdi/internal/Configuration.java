// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.holdfast.cdi.Locked;

/** What is set from outside in the place of an annotation's members. */
final class Configuration {

    private static final String MICROPROFILE = "org.eclipse.microprofile.config.ConfigProvider";

    private final UnaryOperator<String> source;

    /** What was found, and under which key. */
    record Setting(String key, String value) {}

    /** @param source gives the value of a key, or null */
    Configuration(UnaryOperator<String> source) {
        this.source = source;
    }

    /** Returns that of MicroProfile Config where the application has it (which looks at system properties too), else these. */
    static Configuration ofTheApplication() {
        return new Configuration(isPresent() ? MicroProfileSource.ofTheApplication() : System::getProperty);
    }

    private static boolean isPresent() {
        try {
            Class.forName(MICROPROFILE, false, Configuration.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns what is set for a member: of the method, else of the class, else of the application. */
    Optional<Setting> find(Class<?> beanClass, String method, String member) {
        String last = Locked.class.getSimpleName() + "/" + member;
        for (String key :
                List.of(beanClass.getName() + "/" + method + "/" + last, beanClass.getName() + "/" + last, last)) {
            String value = source.apply(key);
            if (value != null) {
                return Optional.of(new Setting(key, value));
            }
        }
        return Optional.empty();
    }
}
