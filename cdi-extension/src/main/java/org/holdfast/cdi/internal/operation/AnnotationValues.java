// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.holdfast.cdi.internal.operation.Configuration.Setting;

/**
 * The values of one annotation, as they are set from outside or else as they are written; and what is wrong with them.
 */
final class AnnotationValues {

    private final Configuration configuration;
    private final Class<?> beanClass;
    private final String method;
    private final List<String> faults = new ArrayList<>();

    AnnotationValues(Configuration configuration, Class<?> beanClass, String method) {
        this.configuration = configuration;
        this.beanClass = beanClass;
        this.method = method;
    }

    /** Returns what is wrong, a sentence each. */
    List<String> faults() {
        return faults;
    }

    void refuse(String fault) {
        faults.add(fault);
    }

    void refuseIf(boolean wrong, String fault) {
        if (wrong) {
            refuse(fault);
        }
    }

    private Optional<Setting> setting(String member) {
        return configuration.find(beanClass, method, member);
    }

    private static String text(Optional<Setting> setting, String written) {
        return setting.map(Setting::value).orElse(written);
    }

    private void refuse(String member, String expected, String actual, Optional<Setting> setting) {
        refuse(member + " must be " + expected + ", was '" + actual + "'" + where(setting));
    }

    private static String where(Optional<Setting> setting) {
        return setting.map(found -> " (set by " + found.key() + ")").orElse("");
    }

    /** Returns where a member is set from outside, for messages; empty if it is as it is written. */
    String where(String member) {
        return where(setting(member));
    }

    /**
     * Returns whether the method itself has a value for it: what is set for several methods is for those that it goes
     * with.
     */
    boolean isOfTheMethod(String member, String written) {
        return !text(settingOfTheMethod(member), written).isEmpty();
    }

    /** As {@link #where}, of what is set for the method itself. */
    String whereOfTheMethod(String member) {
        return where(settingOfTheMethod(member));
    }

    private Optional<Setting> settingOfTheMethod(String member) {
        return setting(member).filter(Setting::ofTheMethod);
    }

    /** Returns a text, or nothing if it is empty. */
    Optional<String> text(String member, String written) {
        return Optional.of(text(setting(member), written)).filter(text -> !text.isEmpty());
    }

    /** Returns a duration, or nothing if none is given. */
    Optional<Duration> duration(String member, String written, Duration least) {
        Optional<Setting> setting = setting(member);
        String text = text(setting, written);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Duration duration = Duration.parse(text);
            if (duration.compareTo(least) >= 0) {
                return Optional.of(duration);
            }
        } catch (DateTimeParseException e) {
            // said below, as for any other value that is not allowed
        }
        refuse(member, "an ISO-8601 duration of at least " + least, text, setting);
        return Optional.empty();
    }

    boolean flag(String member, boolean written) {
        Optional<Setting> setting = setting(member);
        String text = text(setting, Boolean.toString(written));
        String value = text.trim();
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            refuse(member, "true or false", text, setting);
        }
        return value.equalsIgnoreCase("true");
    }

    <E extends Enum<E>> E choice(String member, E written, Set<E> allowed) {
        Optional<Setting> setting = setting(member);
        String text = text(setting, written.name());
        for (E each : allowed) {
            if (each.name().equalsIgnoreCase(text.trim())) {
                return each;
            }
        }
        refuse(member, "one of " + Arrays.toString(allowed.stream().sorted().toArray()), text, setting);
        return written;
    }
}
