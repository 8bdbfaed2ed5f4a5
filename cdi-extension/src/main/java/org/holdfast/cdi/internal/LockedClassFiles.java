// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.holdfast.cdi.Locked;

/**
 * Finds the classes of a web module with the annotation on one of their methods. Tomcat, and so TomEE, does not show them: it looks at
 * annotations of classes only.
 *
 * <p>Looks at the files in {@code WEB-INF/classes}, and loads those that have the name of the annotation in them; besides at all
 * servlets and filters, wherever they are. Jars in {@code WEB-INF/lib} are not searched.
 */
final class LockedClassFiles {

    private static final String CLASSES = "/WEB-INF/classes/";
    private static final String SUFFIX = ".class";
    private static final String ANNOTATION = Locked.class.getName().replace('.', '/');

    private LockedClassFiles() {}

    static Set<Class<?>> of(ServletContext module) {
        List<String> names = new ArrayList<>();
        collect(module, CLASSES, names);
        addClassNames(module.getServletRegistrations().values(), names);
        addClassNames(module.getFilterRegistrations().values(), names);
        Set<Class<?>> found = new LinkedHashSet<>();
        for (String name : names) {
            try {
                Class<?> type = Class.forName(name, false, module.getClassLoader());
                if (hasTheAnnotation(type)) {
                    found.add(type);
                }
            } catch (ClassNotFoundException | LinkageError e) {
                // nothing can make an instance of it, or the container says why not
            }
        }
        return found;
    }

    private static void collect(ServletContext module, String directory, List<String> names) {
        Set<String> paths = module.getResourcePaths(directory);
        for (String path : paths == null ? Set.<String>of() : paths) {
            if (path.endsWith("/")) {
                collect(module, path, names);
            } else if (path.endsWith(SUFFIX) && namesTheAnnotation(module, path)) {
                names.add(path.substring(CLASSES.length(), path.length() - SUFFIX.length())
                        .replace('/', '.'));
            }
        }
    }

    private static boolean namesTheAnnotation(ServletContext module, String path) {
        try (InputStream in = module.getResourceAsStream(path)) {
            return in != null && new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).contains(ANNOTATION);
        } catch (IOException e) {
            throw new IllegalStateException("the web module cannot be read: " + path, e);
        }
    }

    private static void addClassNames(Collection<? extends Registration> components, List<String> names) {
        for (Registration component : components) {
            if (component.getClassName() != null) { // else it is an object
                names.add(component.getClassName());
            }
        }
    }

    private static boolean hasTheAnnotation(Class<?> component) {
        for (Class<?> type = component; type != null; type = type.getSuperclass()) {
            if (type.isAnnotationPresent(Locked.class)
                    || Arrays.stream(type.getDeclaredMethods())
                            .anyMatch(method -> method.isAnnotationPresent(Locked.class))) {
                return true;
            }
        }
        return false;
    }
}
