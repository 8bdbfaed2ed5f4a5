// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * The real code with a bug put in: a sentence of its source replaced by another, compiled and simulated.
 *
 * <p>Each sentence must occur exactly once, so a bug cannot get lost when the code changes.
 */
final class Mutant {

    /** Scripts that end the usual cases before the general script comes. */
    private static final List<String> SHORTCUTS =
            List.of("org/holdfast/redis/acquire_free.lua", "org/holdfast/redis/release_held.lua");

    private final Map<String, String> sources = new HashMap<>();
    private String only = "";
    private long lastSeenIn = -1;

    /**
     * Replaces a sentence in a Java class or a script, named as a file below a source folder. A bug in a general script
     * is looked for without the shortcuts: they would hide it most of the time.
     */
    Mutant with(String file, String sentence, String replacement) {
        String source = sources.computeIfAbsent(file, Mutant::read);
        int first = source.indexOf(sentence);
        if (first < 0 || source.indexOf(sentence, first + 1) >= 0) {
            throw new IllegalArgumentException("'" + sentence + "' must occur once in " + file);
        }
        sources.put(file, source.replace(sentence, replacement));
        if (file.endsWith(".lua") && !SHORTCUTS.contains(file)) {
            SHORTCUTS.forEach(shortcut -> sources.putIfAbsent(shortcut, ""));
        }
        return this;
    }

    /** Looks for it where only these faults happen, because others seldom make it matter. */
    Mutant amidst(String faults) {
        only = faults;
        return this;
    }

    /**
     * Looks for it in this world first, because the search for it takes long. A change of the protocol or of the
     * simulation makes another story of each world: then it is searched for, and the log says in which world to look.
     */
    Mutant lastSeenIn(long seed) {
        lastSeenIn = seed;
        return this;
    }

    /** Returns what to do if another world was named, and nothing if that was found there, or none was named. */
    String adviceIfNotIn(String seed) {
        boolean known = lastSeenIn < 0 || seed.equals("seed " + lastSeenIn);
        return known ? "" : ", no longer " + lastSeenIn + ": change lastSeenIn, so that it is found at once again";
    }

    private static String read(String file) {
        for (String folder : List.of("src/main/java", "src/main/resources", "src/test/java")) {
            Path path = Path.of(folder, file);
            if (Files.exists(path)) {
                try {
                    return Files.readString(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new IllegalArgumentException("there is no " + file);
    }

    /**
     * Simulates world after world, of the seeds from 0 on.
     *
     * @return what the checker said first, or null if it found nothing in so many worlds
     */
    String simulate(int seeds) throws ReflectiveOperationException {
        Class<?> engine = new Loader(compile()).loadClass("org.holdfast.simulation.Simulation$Engine");
        var run = engine.getMethod("run", long.class);
        Object instance = engine.getConstructor(String.class).newInstance(only);
        LongStream known = LongStream.of(lastSeenIn).filter(seed -> seed >= 0 && seed < seeds);
        PrimitiveIterator.OfLong next =
                LongStream.concat(known, LongStream.range(0, seeds)).iterator();
        while (next.hasNext()) {
            try {
                run.invoke(instance, next.nextLong());
            } catch (InvocationTargetException e) {
                return e.getCause().getMessage();
            }
        }
        return null;
    }

    /**
     * Runs the tests of a class that prepares nothing for them.
     *
     * @return which of them fail, each with the reason
     */
    List<String> refute(String tests) throws ReflectiveOperationException {
        Class<?> anew = new Loader(compile()).loadClass(tests);
        List<String> failures = new ArrayList<>();
        for (Method test : anew.getDeclaredMethods()) {
            if (test.isAnnotationPresent(Test.class)) {
                Constructor<?> constructor = anew.getDeclaredConstructor();
                constructor.setAccessible(true);
                test.setAccessible(true);
                try {
                    test.invoke(constructor.newInstance());
                } catch (InvocationTargetException e) {
                    failures.add(test.getName() + ": " + e.getCause());
                }
            }
        }
        return failures;
    }

    /** Records runs as {@link TracedRuns} does. */
    @SuppressWarnings("unchecked")
    List<String> record(Modelled modelled, long from, int seeds) throws ReflectiveOperationException {
        Loader anew = new Loader(compile());
        Class<?> kind = anew.loadClass(Modelled.class.getName());
        Object same = kind.getMethod("valueOf", String.class).invoke(null, modelled.name());
        return (List<String>) anew.loadClass(TracedRuns.class.getName())
                .getMethod("record", kind, long.class, int.class, boolean.class)
                .invoke(null, same, from, seeds, true);
    }

    private Map<String, byte[]> compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        List<JavaFileObject> units = new ArrayList<>();
        sources.forEach((file, source) -> {
            if (file.endsWith(".java")) {
                units.add(new Source(file, source));
            }
        });
        if (!units.isEmpty()) {
            JavaFileManager files = new InMemory(compiler.getStandardFileManager(null, null, null), classes);
            List<String> options =
                    List.of("-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
            StringBuilder problems = new StringBuilder();
            boolean compiled = compiler.getTask(
                            null, files, d -> problems.append(d).append('\n'), options, null, units)
                    .call();
            if (!compiled) {
                throw new IllegalArgumentException("the mutant does not compile: " + problems);
            }
        }
        Map<String, byte[]> bytes = new HashMap<>();
        classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
        return bytes;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return text;
        }
    }

    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes;

        InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, javax.tools.FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(name, bytes);
                    return bytes;
                }
            };
        }
    }

    /** Loads our rooms anew, with the bug; everything else is as it was. */
    private final class Loader extends ClassLoader {

        private final Map<String, byte[]> mutated;

        Loader(Map<String, byte[]> mutated) {
            super(Mutant.class.getClassLoader());
            this.mutated = mutated;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.matches("org\\.holdfast\\.(protocol|redis|simulation)\\..*")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = mutated.get(name);
            if (bytes == null) {
                try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    bytes = in.readAllBytes();
                } catch (IOException | NullPointerException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            String source = sources.get(name);
            return source == null
                    ? super.getResourceAsStream(name)
                    : new ByteArrayInputStream(source.getBytes(StandardCharsets.UTF_8));
        }
    }
}
