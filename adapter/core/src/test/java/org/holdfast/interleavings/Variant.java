// SPDX-License-Identifier: Apache-2.0
package org.holdfast.interleavings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Classes of the protocol with a sentence of a source replaced by another, in packages of another name. Lincheck loads
 * classes from the class path only, and knows them by their names.
 *
 * <p>The sentence must occur exactly once, so a variant cannot get lost when the code changes.
 */
final class Variant {

    private static final String PROTOCOL = "org/holdfast/protocol/";
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String prefix = "variant" + COUNT.incrementAndGet() + "/";
    private final Path folder;

    private Variant(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns the classes as they are with the replacement.
     *
     * @param file below the source folder
     */
    static List<Class<?>> of(List<Class<?>> usual, String file, String sentence, String replacement) throws Exception {
        String source = Files.readString(Path.of("src/main/java", file));
        int first = source.indexOf(sentence);
        if (first < 0 || source.indexOf(sentence, first + 1) >= 0) {
            throw new IllegalArgumentException("'" + sentence + "' must occur once in " + file);
        }
        Variant variant = new Variant(Files.createTempDirectory("variant"));
        variant.compile(file, source.replace(sentence, replacement));
        variant.addToClassPath(usual);
        List<Class<?>> changed = new ArrayList<>();
        for (Class<?> each : usual) {
            changed.add(Class.forName(variant.prefix.replace('/', '.') + each.getName()));
        }
        return changed;
    }

    private void compile(String file, String source) throws IOException {
        Path written = folder.resolve("src").resolve(file);
        Files.createDirectories(written.getParent());
        Files.writeString(written, source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> arguments = List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                folder.toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                written.toString());
        if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalArgumentException("the variant does not compile");
        }
    }

    /** Adds the classes, and all of the protocol that they need. */
    private void addToClassPath(List<Class<?>> usual) throws IOException {
        Path jar = folder.resolve("variant.jar");
        Deque<String> needed = new ArrayDeque<>();
        usual.forEach(type -> needed.add(type.getName().replace('.', '/')));
        Set<String> known = new HashSet<>(needed);
        Remapper names = new Remapper(Opcodes.ASM9) {
            @Override
            public String map(String name) {
                if (!name.startsWith(PROTOCOL)) {
                    return name;
                }
                if (known.add(name)) {
                    needed.add(name);
                }
                return prefix + name;
            }
        };
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            while (!needed.isEmpty()) {
                String name = needed.poll();
                out.putNextEntry(new JarEntry(prefix + name + ".class"));
                out.write(renamed(name, names));
                out.closeEntry();
            }
        }
        ByteBuddyAgent.install().appendToSystemClassLoaderSearch(new JarFile(jar.toFile()));
    }

    private byte[] renamed(String name, Remapper names) throws IOException {
        Path compiled = folder.resolve(name + ".class");
        try (InputStream in = Files.exists(compiled)
                ? Files.newInputStream(compiled)
                : ClassLoader.getSystemResourceAsStream(name + ".class")) {
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(in).accept(new ClassRemapper(writer, names), 0);
            return writer.toByteArray();
        }
    }
}
