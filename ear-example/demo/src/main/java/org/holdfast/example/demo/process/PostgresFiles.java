// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tukaani.xz.XZInputStream;

/** The PostgreSQL of this machine's kind: unpacked from the class path, where Maven has put it, and kept. */
final class PostgresFiles {

    /** What the archive's name says for what Java calls the same. */
    private static final Map<String, String> ARCHITECTURES =
            Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "arm_64", "arm64", "arm_64");

    /** The name of the file that the archive comes in has the version in it. */
    private static final Pattern JAR = Pattern.compile("([^/]+)\\.jar!");

    private PostgresFiles() {}

    /**
     * Returns the folder with {@code bin} in it.
     *
     * @param directory where it is unpacked to; if an earlier run has done that, it is used as it is
     */
    static Path find(Path directory) throws IOException {
        URL archive = archive();
        Matcher jar = JAR.matcher(archive.toString());
        Path unpacked = directory.resolve(jar.find() ? jar.group(1) : "postgres");
        if (!Files.isDirectory(unpacked)) {
            Path half = directory.resolve("unpacking");
            Folders.delete(half);
            unpack(archive, Files.createDirectory(half));
            Files.move(half, unpacked, StandardCopyOption.ATOMIC_MOVE);
        }
        return unpacked;
    }

    private static URL archive() throws IOException {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String architecture = System.getProperty("os.arch");
        String name = "/postgres-" + system + "-" + ARCHITECTURES.getOrDefault(architecture, architecture) + ".txz";
        URL archive = PostgresFiles.class.getResource(name);
        if (archive == null) {
            throw new IOException("there is no " + name + " on the class path: the demo has a PostgreSQL for Linux and"
                    + " macOS, on amd64 and aarch64, and this is " + System.getProperty("os.name") + " on "
                    + architecture);
        }
        return archive;
    }

    private static void unpack(URL archive, Path target) throws IOException {
        try (InputStream packed = archive.openStream()) {
            Process tar = new ProcessBuilder("tar", "-x", "-f", "-", "-C", target.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(target.resolve("tar.log").toFile())
                    .start();
            try (OutputStream unpacked = tar.getOutputStream()) {
                new XZInputStream(packed).transferTo(unpacked);
            }
            int exit = tar.onExit().join().exitValue();
            if (exit != 0) {
                throw new IOException("tar ended with " + exit + ": " + Files.readString(target.resolve("tar.log")));
            }
        }
    }
}
