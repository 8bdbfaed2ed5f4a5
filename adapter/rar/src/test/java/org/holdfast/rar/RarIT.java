// SPDX-License-Identifier: Apache-2.0
package org.holdfast.rar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.resource.spi.Connector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import org.jboss.jca.validator.Validation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the archives contain, and what the validator of IronJacamar, the container inside WildFly, says of them. */
class RarIT {

    private static final Path TARGET = Path.of("target");
    private static final String ALONE = "holdfast.rar";
    private static final String IN_AN_EAR = "holdfast-ear.rar";

    @TempDir
    private Path scratch;

    private static Map<String, byte[]> entries(InputStream archive) throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        try (JarInputStream in = new JarInputStream(archive)) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                if (!entry.isDirectory()) {
                    entries.put(entry.getName(), in.readAllBytes());
                }
            }
        }
        return entries;
    }

    private static Map<String, byte[]> entries(String rar) throws IOException {
        return entries(Files.newInputStream(TARGET.resolve(rar)));
    }

    private static List<String> contents(String rar) throws IOException {
        return entries(rar).keySet().stream()
                .filter(name -> !name.matches("META-INF/(maven/.*|MANIFEST.MF)"))
                .map(name -> name.replaceFirst("-\\d.*\\.jar$", ".jar"))
                .toList();
    }

    /** What is in the jars of an archive, one map for each. */
    private static List<Map<String, byte[]>> jars(String rar) throws IOException {
        List<Map<String, byte[]>> jars = new ArrayList<>();
        for (Map.Entry<String, byte[]> jar : entries(rar).entrySet()) {
            if (jar.getKey().endsWith(".jar")) {
                jars.add(entries(new ByteArrayInputStream(jar.getValue())));
            }
        }
        return jars;
    }

    private static List<String> classes(String rar) throws IOException {
        return jars(rar).stream()
                .flatMap(jar -> jar.keySet().stream())
                .filter(name -> name.endsWith(".class") && !name.endsWith("module-info.class"))
                .toList();
    }

    @Test
    void rarThatStandsAlone_hasTheseJarsTheLicenseAndNothingElse() throws Exception {
        assertThat(contents(ALONE))
                .containsExactly(
                        "META-INF/LICENSE",
                        "META-INF/NOTICE",
                        "holdfast-api.jar",
                        "holdfast-core.jar",
                        "jedis.jar",
                        "redis-authx-core.jar",
                        "slf4j-api.jar");
    }

    @Test
    void rarForAnEar_hasTheSameWithoutTheApi() throws Exception {
        List<String> expected = new ArrayList<>(contents(ALONE));
        expected.remove("holdfast-api.jar");
        assertThat(contents(IN_AN_EAR)).containsExactlyElementsOf(expected);
        assertThat(classes(IN_AN_EAR)).doesNotContain("org/holdfast/LockConnectionFactory.class");
    }

    @ParameterizedTest
    @ValueSource(strings = {ALONE, IN_AN_EAR})
    void rar_hasNoClassTwiceAndNoneOfThePlatform(String rar) throws Exception {
        assertThat(classes(rar))
                .contains("org/holdfast/connector/HoldfastResourceAdapter.class")
                .doesNotHaveDuplicates()
                .noneMatch(name -> name.startsWith("jakarta/") || name.startsWith("javax/"));
    }

    /**
     * Some servers show it to applications: with that file {@code @Locked} would lock with settings before it is bound.
     */
    @ParameterizedTest
    @ValueSource(strings = {ALONE, IN_AN_EAR})
    void rar_doesNotSayThatLockedMayOpenAFactoryFromSettings(String rar) throws Exception {
        assertThat(jars(rar)).noneMatch(jar -> jar.containsKey("META-INF/holdfast-standalone"));
    }

    @ParameterizedTest
    @ValueSource(strings = {ALONE, IN_AN_EAR})
    void rar_hasNoBeans(String rar) throws Exception {
        assertThat(jars(rar))
                .filteredOn(jar -> jar.containsKey("META-INF/beans.xml"))
                .singleElement()
                .satisfies(jar -> assertThat(jar)
                        .containsKey("org/holdfast/connector/HoldfastResourceAdapter.class")
                        .extractingByKey("META-INF/beans.xml")
                        .extracting(String::new)
                        .asString()
                        .contains("bean-discovery-mode=\"none\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {ALONE, IN_AN_EAR})
    void rar_doesNotReferToTheConnectorsOfJavaEe(String rar) throws Exception {
        for (Map<String, byte[]> jar : jars(rar)) {
            jar.forEach((name, code) -> assertThat(new String(code, ISO_8859_1))
                    .as(name)
                    .doesNotContain("javax/resource/", "javax.resource."));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ALONE, IN_AN_EAR})
    void rar_isValid(String rar) throws Exception {
        assertThat(findings(TARGET.resolve(rar))).isEmpty();
    }

    /** Is no resource adapter, and lets us see that the validator finds adapters by their annotations. */
    @Connector
    public static class Careless {}

    @Test
    void validator_ofACarelessRar_findsTheFaults() throws Exception {
        String name = Careless.class.getName().replace('.', '/') + ".class";
        byte[] code = Careless.class.getClassLoader().getResourceAsStream(name).readAllBytes();
        Path careless = scratch.resolve("careless.rar");
        Files.write(careless, archive(Map.of("careless.jar", archive(Map.of(name, code)), name, code)));
        assertThat(findings(careless))
                .contains("A ResourceAdapter must implement", Careless.class.getName())
                .contains("Class files packaged inside RAR");
    }

    private static byte[] archive(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream out = new JarOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                out.write(entry.getValue());
            }
        }
        return bytes.toByteArray();
    }

    /** Returns what the validator reports, or why it could not look. */
    private String findings(Path rar) throws IOException {
        Path reports = Files.createDirectories(scratch.resolve("reports"));
        int result = Validation.validate(rar.toUri().toURL(), reports.toString());
        StringBuilder findings = new StringBuilder();
        try (var files = Files.list(reports)) {
            for (Path report : files.toList()) {
                findings.append(Files.readString(report));
            }
        }
        return result == 0 || findings.length() > 0 ? findings.toString() : "the validator failed: " + result;
    }
}
