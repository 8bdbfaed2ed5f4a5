// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.Holdfast;

/** Our own classes, as a process has them that has run for a while. */
final class OwnClasses {

    private OwnClasses() {}

    /**
     * Loads and initializes all of them. Classes in directories need a file each when they are needed first; from an
     * archive that is open they do not. And the JVM never tries again to initialize a class that had no memory for it.
     */
    static void loadAll() throws IOException, URISyntaxException, ClassNotFoundException {
        loadAll(Holdfast.class);
        loadAll(Class.forName("org.holdfast.redis.NodeConnections"));
    }

    /** Loads what lies beside that class. */
    private static void loadAll(Class<?> one) throws IOException, URISyntaxException, ClassNotFoundException {
        Path root =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!Files.isDirectory(root)) {
            return;
        }
        List<String> names;
        try (Stream<Path> files = Files.walk(root.resolve("org"))) {
            names = files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> root.relativize(file).toString())
                    .filter(name -> !name.contains("connector") && !name.contains("package-info"))
                    .map(name -> name.replace(".class", "").replace('/', '.'))
                    .toList();
        }
        for (String name : names) {
            Class.forName(name);
        }
    }
}
