// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Checks what would be released: {@code java .ci/ReleaseCheck.java first second}, two directories that the same commit
 * was deployed to. Each artifact must have what a public repository asks for, and both builds must be equal byte by
 * byte.
 */
public final class ReleaseCheck {

    private static final Set<String> SHIPPED = Set.of(
            "holdfast", "holdfast-adapter", "holdfast-bom", "holdfast-api", "holdfast-core", "holdfast-cdi",
            "holdfast-rar", "holdfast-standalone", "holdfast-test", "holdfast-memory-redis", "holdfast-integrations",
            "holdfast-micrometer", "holdfast-microprofile", "holdfast-opentelemetry",
            "holdfast-shedlock", "holdfast-spring",
            "holdfast-wildfly-feature-pack", "holdfast-cli");

    private static final List<String> POM_ELEMENTS =
            List.of("name", "description", "url", "licenses", "developers", "scm");

    private final List<String> faults = new ArrayList<>();

    public static void main(String[] directories) throws Exception {
        ReleaseCheck check = new ReleaseCheck();
        Map<String, Path> first = artifacts(Path.of(directories[0]));
        check.checkAll(first);
        check.compare(first, artifacts(Path.of(directories[1])));
        check.faults.forEach(fault -> System.err.println("release: " + fault));
        System.out.println(first.size() + " files of " + SHIPPED.size() + " artifacts, " + check.faults.size() + " faults");
        System.exit(check.faults.isEmpty() ? 0 : 1);
    }

    /** By name without the time of the deployment, which a snapshot has in it. */
    private static Map<String, Path> artifacts(Path directory) throws IOException {
        Map<String, Path> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().matches(".*(\\.md5|\\.sha1|maven-metadata.*)"))
                    .forEach(file -> found.put(
                            file.getFileName().toString().replaceFirst("-\\d{8}\\.\\d{6}-\\d+", ""), file));
        }
        return found;
    }

    private void require(boolean holds, String fault) {
        if (!holds) {
            faults.add(fault);
        }
    }

    private void checkAll(Map<String, Path> files) throws Exception {
        Set<String> deployed = new java.util.TreeSet<>();
        for (Map.Entry<String, Path> file : files.entrySet()) {
            deployed.add(artifact(file.getValue()));
            String name = file.getKey();
            if (name.endsWith(".pom")) {
                checkPom(name, Files.readString(file.getValue()));
            } else if (name.endsWith(".jar") || name.endsWith(".rar")) {
                checkArchive(name, file.getValue());
            } else if (name.matches("holdfast-wildfly-feature-pack-.*\\.zip") && !name.endsWith("-doc.zip")) {
                checkFeaturePack(name, file.getValue());
            }
        }
        require(deployed.equals(SHIPPED), "deployed are " + deployed + ", expected " + SHIPPED);
        for (String artifact : deployed) {
            require(has(files, artifact, "-cyclonedx.json"), artifact + " has no bill of materials");
            if (has(files, artifact, ".jar") || has(files, artifact, ".rar")) {
                require(has(files, artifact, "-sources.jar"), artifact + " has no sources");
                require(has(files, artifact, "-javadoc.jar"), artifact + " has no Javadoc");
            }
        }
    }

    private static String artifact(Path file) {
        return file.getParent().getParent().getFileName().toString();
    }

    private static boolean has(Map<String, Path> files, String artifact, String end) {
        return files.entrySet().stream()
                .anyMatch(file -> artifact(file.getValue()).equals(artifact) && file.getKey().endsWith(end));
    }

    private void checkPom(String name, String pom) {
        boolean inherits = pom.contains("<parent>");
        for (String element : POM_ELEMENTS) {
            boolean own = pom.contains("<" + element + ">") || pom.contains("<" + element + " ");
            boolean mayInherit = inherits && !Set.of("name", "description").contains(element);
            require(own || mayInherit, name + " has no <" + element + ">");
        }
        boolean forUsers = name.matches("holdfast-(api|core|cdi|rar|bom)-.*");
        require(!forUsers || !inherits, name + " is not flattened");
        require(!forUsers || !pom.contains("<plugin>"), name + " has plugins of the build");
        require(!name.startsWith("holdfast-bom-") || !pom.contains("junit"), name + " manages what we test with");
    }

    private void checkArchive(String name, Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            if (!name.endsWith("-sources.jar") && !name.endsWith("-javadoc.jar")) {
                require(jar.getEntry("META-INF/LICENSE") != null, name + " has no META-INF/LICENSE");
                require(jar.getEntry("META-INF/NOTICE") != null, name + " has no META-INF/NOTICE");
                boolean module = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name") != null;
                require(module || name.endsWith(".rar"), name + " has no Automatic-Module-Name");
            }
        }
    }

    /** A server that is made of it has them in docs/licenses. */
    private void checkFeaturePack(String name, Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (String text : List.of("LICENSE", "NOTICE")) {
                String entry = "packages/org.holdfast.licenses/content/docs/licenses/holdfast/" + text;
                require(zip.getEntry(entry) != null, name + " has no " + entry);
            }
        }
    }

    private void compare(Map<String, Path> first, Map<String, Path> second) throws Exception {
        require(first.keySet().equals(second.keySet()), "two builds have other files: " + first.keySet() + " and "
                + second.keySet());
        for (String name : first.keySet()) {
            if (second.containsKey(name)) {
                require(hash(first.get(name)).equals(hash(second.get(name))), name + " differs between two builds");
            }
        }
    }

    private static String hash(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
