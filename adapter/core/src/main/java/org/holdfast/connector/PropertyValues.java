// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The properties that are set, by name. */
final class PropertyValues {

    private final Map<String, String> values = new TreeMap<>();

    /** Adds a property. A blank one is what some servers make of one that is not set. */
    PropertyValues with(String name, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            values.put(name, value);
        }
        return this;
    }

    Map<String, String> map() {
        return Collections.unmodifiableMap(values);
    }
}
