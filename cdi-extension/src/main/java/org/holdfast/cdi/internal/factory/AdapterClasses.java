// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether an application sees the classes of an adapter. Some servers bind the factory of an adapter in the same EAR
 * when its web modules have begun, but show them its classes from the start.
 */
final class AdapterClasses {

    /** In each adapter, and in holdfast-standalone. */
    private static final String IMPLEMENTATION = "org/holdfast/connector/HoldfastResourceAdapter.class";

    private AdapterClasses() {}

    /**
     * Returns where the implementation is once more than in the jars with a marker, for people; empty if it is not.
     *
     * @param library that of the API
     */
    static Optional<String> beside(String marker, ClassLoader library) {
        Set<String> implementations = find(IMPLEMENTATION, library);
        return implementations.size() > find(marker, library).size()
                ? Optional.of("whose classes the application sees (" + String.join(", ", implementations) + ")")
                : Optional.empty();
    }

    /** A web module may see more than the library that the modules of an EAR share. */
    private static Set<String> find(String resource, ClassLoader library) {
        Set<String> found = new LinkedHashSet<>();
        ClassLoader module = Thread.currentThread().getContextClassLoader();
        try {
            for (ClassLoader loader : module == null ? List.of(library) : List.of(library, module)) {
                Collections.list(loader.getResources(resource)).forEach(url -> found.add(url.toExternalForm()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
