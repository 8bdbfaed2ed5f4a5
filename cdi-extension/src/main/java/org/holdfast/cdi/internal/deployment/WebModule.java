// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/**
 * The web module that brings this library in its {@code WEB-INF/lib}, if one does.
 *
 * <p>All components of a web module, its EJBs too, have one {@code java:comp} (Jakarta EE Platform, 5.2.2), and the
 * extension of such a module intercepts nothing outside of it. So what was found there once can be remembered. An EJB
 * in an EJB JAR has a {@code java:comp} of its own, and a CDI bean has that of the component that calls it. No standard
 * name says which component that is, and to ask for one would be another look-up. So there each call looks, unless the
 * application says that it has one factory: by the member {@code factory}, or by a CDI bean.
 *
 * @param loader null if no web module brings it, or it is not known
 */
public record WebModule(@Nullable ClassLoader loader) {

    /** Part of the place of a library of a web module, on each server, packed or not. */
    private static final String LIBRARIES = "/WEB-INF/lib/";

    /** Part of the place of a class of a web module likewise. */
    private static final String CLASSES = "/WEB-INF/";

    /** @param library a class of this library */
    public static WebModule with(Class<?> library) {
        return new WebModule(isIn(LIBRARIES, library) ? library.getClassLoader() : null);
    }

    private static boolean isIn(String place, Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source != null
                && source.getLocation() != null
                && source.getLocation().toString().contains(place);
    }

    /**
     * Returns whether the class is surely of the web module on whose thread this is called, wherever this library is.
     */
    static boolean isOfTheCallers(Class<?> type) {
        return isIn(CLASSES, type) && isSeenByCaller(type);
    }

    /**
     * Returns whether the module on whose thread this is called sees a class. A container may show an extension the
     * beginning of another module, with its own copy of this library.
     */
    public static boolean isSeenByCaller(Class<?> type) {
        try {
            ClassLoader callers = Thread.currentThread().getContextClassLoader();
            return Class.forName(type.getName(), false, callers) == type;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns whether the class is surely of the module. */
    boolean has(Class<?> type) {
        return loader != null && type.getClassLoader() == loader;
    }
}
