// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where names of components may be remembered. */
class WebModuleTest {

    @TempDir
    Path directory;

    /** Loads classes of this library as if they were the module's. */
    private ClassLoader moduleWithLibraryIn(String place) throws Exception {
        Path jar = Files.createDirectories(directory.resolve(place)).resolve("library.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Class<?> type : new Class<?>[] {LibraryClass.class, Ejb.class}) {
                String entry = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(entry));
                try (InputStream in = getClass().getClassLoader().getResourceAsStream(entry)) {
                    in.transferTo(out);
                }
            }
        }
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, null);
    }

    /** In the place of a class of this library. */
    public static class LibraryClass {}

    /** In the place of an EJB. */
    public static class Ejb {}

    @Test
    void module_withTheLibraryInIt_hasTheClassesOfItsLoader() throws Exception {
        ClassLoader loader = moduleWithLibraryIn("shop.war/WEB-INF/lib");
        WebModule module = WebModule.with(loader.loadClass(LibraryClass.class.getName()));
        assertThat(module.has(loader.loadClass(Ejb.class.getName()))).isTrue();
        assertThat(module.has(Ejb.class)).isFalse();
    }

    @Test
    void libraryOfAnEar_isOfNoModule() throws Exception {
        ClassLoader loader = moduleWithLibraryIn("shop.ear/lib");
        WebModule module = WebModule.with(loader.loadClass(LibraryClass.class.getName()));
        assertThat(module.has(loader.loadClass(Ejb.class.getName()))).isFalse();
        assertThat(WebModule.with(String.class).has(String.class)).isFalse();
    }

    private static boolean isOfTheCallers(Class<?> type, ClassLoader callers) {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(callers);
        try {
            return WebModule.isOfTheCallers(type);
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    @Test
    void classOfAWebModule_isOfTheCallersThatSeeIt() throws Exception {
        ClassLoader shop = moduleWithLibraryIn("shop.war/WEB-INF/classes");
        ClassLoader other = moduleWithLibraryIn("other.war/WEB-INF/classes");
        Class<?> ofTheShop = shop.loadClass(Ejb.class.getName());
        assertThat(isOfTheCallers(ofTheShop, shop)).isTrue();
        assertThat(isOfTheCallers(ofTheShop, new URLClassLoader(new URL[0], shop)))
                .as("servers wrap the loader of a module")
                .isTrue();
        assertThat(isOfTheCallers(ofTheShop, other)).as("it has its own").isFalse();
        assertThat(isOfTheCallers(ofTheShop, new URLClassLoader(new URL[0], null)))
                .isFalse();
    }

    @Test
    void classOfAnEar_isOfNoCallerAlone() throws Exception {
        ClassLoader library = moduleWithLibraryIn("shop.ear/lib");
        assertThat(isOfTheCallers(library.loadClass(Ejb.class.getName()), library))
                .isFalse();
    }
}
