// SPDX-License-Identifier: Apache-2.0
package org.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jar for plain WARs and Java SE, on the class path of a JVM of its own, beside what applications have there. */
@Timeout(120)
class StandaloneIT {

    private static final Path JAR = Path.of("target", "holdfast-standalone.jar");

    private static final Pattern RENAMED = Pattern.compile("org/holdfast/internal/[\\w/]+/[A-Z][\\w$]*");

    @TempDir
    private Path directory;

    static List<Path> jedisOfApplications() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of("target", "jedis"))) {
            return jars.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("jedisOfApplications")
    void lock_besideAnotherJedis_isTakenAndReleased(Path jedis) throws Exception {
        try (RedisServer node = RedisServer.start(directory)) {
            Process application = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            jedis + File.pathSeparator + JAR + File.pathSeparator + ofTheBuild(),
                            Application.class.getName(),
                            node.uri())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(application.waitFor(10, TimeUnit.SECONDS)).as(output).isTrue();
            assertThat(application.exitValue()).as(output).isZero();
            assertThat(output).contains("RELEASED", jedis.getFileName().toString());
        }
    }

    /** The API, the facade of a logger, and the class that the child runs; neither the core nor its Jedis. */
    private static String ofTheBuild() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.matches(".*(holdfast-api|slf4j-api|test-classes|adapter.api).*"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void jar_hasNothingThatAnApplicationMayHaveToo() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")))
                    .isNotEmpty()
                    .allMatch(name -> name.startsWith("org/holdfast/"));
        }
    }

    @Test
    void jar_hasAManifestOfItsOwn_andTheLicenceOfJedis() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.getManifest()).isNotNull();
            assertThat(jar.getManifest().getMainAttributes().keySet().toString())
                    .contains("Build-Jdk-Spec")
                    .doesNotContain("Bundle-SymbolicName"); // that of Jedis
            assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                    .isEqualTo("org.holdfast.standalone");
            JarEntry licence = jar.getJarEntry("META-INF/licenses/jedis.txt");
            assertThat(licence).isNotNull();
            assertThat(new String(jar.getInputStream(licence).readAllBytes(), StandardCharsets.UTF_8))
                    .contains("Copyright (c)", "Permission is hereby granted");
        }
    }

    /** The adapter has no such file: {@code RarIT}. */
    @Test
    void jar_saysThatLockedMayOpenAFactoryFromSettings() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            assertThat(jar.getJarEntry("META-INF/holdfast-standalone")).isNotNull();
        }
    }

    /** A class under another name that is not there would be missing on whichever path comes to it first. */
    @Test
    void jar_hasEachClassThatIsUnderAnotherName() throws Exception {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Set<String> missing = new TreeSet<>();
            for (JarEntry entry : jar.stream()
                    .filter(file -> file.getName().endsWith(".class"))
                    .toList()) {
                Matcher named = RENAMED.matcher(
                        new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1));
                named.results()
                        .map(MatchResult::group)
                        .filter(name -> jar.getJarEntry(name + ".class") == null)
                        .forEach(missing::add);
            }
            assertThat(missing).isEmpty();
        }
    }
}
