// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.holdfast.cdi.Locked;

/**
 * Finds the classes of a web module that servlet containers do not show: with the annotation on one of their methods,
 * where Tomcat, and so TomEE, looks at annotations of classes only; and those that inherit from a class or an interface
 * with the annotation.
 *
 * <p>Looks at the files in {@code WEB-INF/classes}, and for the annotation also at those of the jars in
 * {@code WEB-INF/lib}; loads those that have a name in them that is looked for; besides looks at all servlets and
 * filters, wherever they are.
 */
public final class LockedClassFiles {

    private static final String CLASSES = "/WEB-INF/classes/";
    private static final String LIBRARIES = "/WEB-INF/lib/";
    private static final String SUFFIX = ".class";
    private static final String ANNOTATION = Locked.class.getName().replace('.', '/');

    private LockedClassFiles() {}

    public static Set<Class<?>> of(ServletContext module) {
        Set<String> words = Set.of(ANNOTATION);
        List<String> names = new ArrayList<>();
        collectFromLibraries(module, words, names);
        return find(module, words, names, LockedClassFiles::hasTheAnnotation);
    }

    /**
     * Finds those that extend or implement what has the annotation, and do not name it themselves: no container shows
     * them for it, and it holds for what they inherit.
     */
    public static Set<Class<?>> heirs(ServletContext module, Set<Class<?>> locked) {
        Set<Class<?>> heirs = new LinkedHashSet<>();
        Set<Class<?>> parents = locked;
        while (!parents.isEmpty()) {
            Set<Class<?>> nearest =
                    find(module, internalNames(parents), new ArrayList<>(), type -> isHeir(type, locked));
            nearest.removeAll(locked);
            nearest.removeAll(heirs);
            heirs.addAll(nearest);
            parents = nearest;
        }
        return heirs;
    }

    private static boolean isHeir(Class<?> type, Set<Class<?>> locked) {
        return locked.stream().anyMatch(parent -> parent.isAssignableFrom(type));
    }

    /** Of those that may have heirs; as files have them, where each byte is read as a character. */
    private static Set<String> internalNames(Set<Class<?>> parents) {
        return parents.stream()
                .filter(parent -> !Modifier.isFinal(parent.getModifiers()))
                .map(parent -> parent.getName().replace('.', '/'))
                .map(name -> new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                .collect(Collectors.toSet());
    }

    /**
     * @param words one of which is in the file of each class that is meant
     * @param names of classes whose files are known to have one of them; others are added
     */
    private static Set<Class<?>> find(
            ServletContext module, Set<String> words, List<String> names, Predicate<Class<?>> isMeant) {
        if (!words.isEmpty()) {
            collect(module, CLASSES, words, names);
        }
        int withAWord = names.size();
        addClassNames(module.getServletRegistrations().values(), names);
        addClassNames(module.getFilterRegistrations().values(), names);
        Set<Class<?>> found = new LinkedHashSet<>();
        for (int i = 0; i < names.size(); i++) {
            try {
                Class<?> type = Class.forName(names.get(i), false, module.getClassLoader());
                if (isMeantOrUnknown(type, isMeant, i < withAWord)) {
                    found.add(type);
                }
            } catch (ClassNotFoundException | LinkageError e) {
                // nothing can make an instance of it, or the container says why not
            }
        }
        return found;
    }

    /**
     * A class whose methods cannot be looked at, because a type of a parameter is missing, can have instances all the
     * same.
     *
     * @param unknown the answer for such a class
     */
    private static boolean isMeantOrUnknown(Class<?> type, Predicate<Class<?>> isMeant, boolean unknown) {
        try {
            return isMeant.test(type);
        } catch (LinkageError e) {
            return unknown;
        }
    }

    private static void collect(ServletContext module, String directory, Set<String> words, List<String> names) {
        Set<String> paths = module.getResourcePaths(directory);
        for (String path : paths == null ? Set.<String>of() : paths) {
            if (path.endsWith("/")) {
                collect(module, path, words, names);
            } else if (path.endsWith(SUFFIX) && hasOneOf(words, module, path)) {
                names.add(className(path.substring(CLASSES.length())));
            }
        }
    }

    private static void collectFromLibraries(ServletContext module, Set<String> words, List<String> names) {
        Set<String> paths = module.getResourcePaths(LIBRARIES);
        for (String path : paths == null ? Set.<String>of() : paths) {
            if (path.endsWith(".jar")) {
                collectFromLibrary(module, path, words, names);
            }
        }
    }

    private static void collectFromLibrary(ServletContext module, String path, Set<String> words, List<String> names) {
        try (ZipInputStream jar = new ZipInputStream(module.getResourceAsStream(path))) {
            for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
                if (entry.getName().endsWith(SUFFIX) && hasOneOf(words, jar)) {
                    names.add(className(entry.getName()));
                }
            }
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static String className(String path) {
        return path.substring(0, path.length() - SUFFIX.length()).replace('/', '.');
    }

    private static boolean hasOneOf(Set<String> words, ServletContext module, String path) {
        try (InputStream in = module.getResourceAsStream(path)) {
            return in != null && hasOneOf(words, in);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static boolean hasOneOf(Set<String> words, InputStream file) throws IOException {
        String text = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        return words.stream().anyMatch(text::contains);
    }

    private static IllegalStateException unreadable(String path, IOException cause) {
        return new IllegalStateException("the web module cannot be read: " + path, cause);
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
