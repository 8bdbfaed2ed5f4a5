// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.holdfast.testkit.FreePort;
import org.wildfly.core.launcher.Launcher;
import org.wildfly.core.launcher.StandaloneCommandBuilder;

/** One WildFly process with the shop, in a directory of its own. */
final class WildFly implements AutoCloseable {

    private static final long STOP_SECONDS = 20;

    private final Process process;
    private final Path log;
    private final Path failure;

    /** Returns the process id. */
    long pid() {
        return process.pid();
    }

    private WildFly(Process process, Path log, Path failure) {
        this.process = process;
        this.log = log;
        this.failure = failure;
    }

    /**
     * Starts the server; it deploys the EAR by itself.
     *
     * @param home the provisioned server; what it writes goes elsewhere
     * @param directory where the server keeps its files; emptied first
     * @param nodes as in the resource adapter's setting
     */
    static WildFly start(Path home, Path ear, Path directory, int httpPort, String nodes) throws IOException {
        Path base = directory.resolve("standalone").toAbsolutePath();
        delete(base);
        copy(home.resolve("standalone"), base);
        Path deployment = base.resolve("deployments").resolve(ear.getFileName());
        Files.copy(ear, deployment, StandardCopyOption.REPLACE_EXISTING);
        Path log = directory.resolve("wildfly.log").toAbsolutePath();
        StandaloneCommandBuilder command = StandaloneCommandBuilder.of(home)
                .setBaseDirectory(base)
                .setBindAddressHint("127.0.0.1")
                .addServerArgument("-Djboss.http.port=" + httpPort)
                .addServerArgument("-Djboss.https.port=" + FreePort.find())
                .addServerArgument("-Djboss.management.http.port=" + FreePort.find())
                .addServerArgument("-Djava.io.tmpdir=" + Files.createDirectories(base.resolve("tmp")))
                .addServerArgument("-Dholdfast.nodes=" + nodes);
        Process process = Launcher.of(command)
                .setRedirectErrorStream(true)
                .redirectOutput(log)
                .launch();
        return new WildFly(process, log, deployment.resolveSibling(ear.getFileName() + ".failed"));
    }

    /** Returns whether it is no use to wait any longer: the process has ended, or the EAR could not be deployed. */
    boolean hasFailed() {
        return !process.isAlive() || Files.exists(failure);
    }

    Path log() {
        return log;
    }

    /** Asks the server to stop, and ends it if it does not. Returns when it is gone. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(dir)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, IOException failure) throws IOException {
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
