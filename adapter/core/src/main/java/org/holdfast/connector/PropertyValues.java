// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The properties that are set, as text by name: what servers inject is text, a number or nothing. */
final class PropertyValues {

    private final Map<String, String> values = new TreeMap<>();

    /** Adds a property. An empty one is what some servers make of one that is not set. */
    PropertyValues with(String name, @Nullable Object value) {
        if (value != null && !value.toString().isEmpty()) {
            values.put(name, value.toString());
        }
        return this;
    }

    Map<String, String> map() {
        return Collections.unmodifiableMap(values);
    }
}
