// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.ProcessSignal;
import org.wildfly.core.launcher.Launcher;
import org.wildfly.core.launcher.StandaloneCommandBuilder;

/** One WildFly process with the shop, in a directory of its own. */
public final class WildFly implements AutoCloseable {

    private static final long STOP_SECONDS = 20;

    /** Several of them share a small machine: they start sooner so, and the shop needs no more. */
    private static final String[] JAVA_OPTIONS = {
        "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.jboss.logmanager.nocolor=true"
    };

    private final Process process;
    private final Path log;
    private final Path failure;

    /**
     * What to start.
     *
     * @param home the provisioned server; what it writes goes elsewhere
     * @param base what a server begins with: its configuration
     * @param ear what it deploys by itself
     * @param directory where it keeps its files; emptied first
     * @param httpPort of the loopback address
     * @param properties system properties, of which its configuration needs {@code holdfast.nodes}
     * @param environment added to ours
     */
    public record Setup(
            Path home,
            Path base,
            Path ear,
            Path directory,
            int httpPort,
            Map<String, String> properties,
            Map<String, String> environment) {}

    private WildFly(Process process, Path log, Path failure) {
        this.process = process;
        this.log = log;
        this.failure = failure;
    }

    /** Starts the server; it deploys the EAR by itself. */
    public static WildFly start(Setup setup) throws IOException {
        Path base = setup.directory().resolve("standalone").toAbsolutePath();
        delete(base);
        copy(setup.base(), base);
        Path deployment = Files.createDirectories(base.resolve("deployments"))
                .resolve(setup.ear().getFileName());
        Files.copy(setup.ear(), deployment, StandardCopyOption.REPLACE_EXISTING);
        Path log = setup.directory().resolve("wildfly.log").toAbsolutePath();
        Launcher launcher =
                Launcher.of(command(setup, base)).setRedirectErrorStream(true).redirectOutput(log);
        setup.environment().forEach(launcher::addEnvironmentVariable);
        return new WildFly(
                launcher.launch(), log, deployment.resolveSibling(setup.ear().getFileName() + ".failed"));
    }

    private static StandaloneCommandBuilder command(Setup setup, Path base) throws IOException {
        StandaloneCommandBuilder command = StandaloneCommandBuilder.of(setup.home())
                .setBaseDirectory(base)
                .setBindAddressHint("127.0.0.1")
                .addJavaOptions(JAVA_OPTIONS)
                .addServerArgument("-Djboss.http.port=" + setup.httpPort())
                .addServerArgument("-Djboss.https.port=" + FreePort.find())
                .addServerArgument("-Djboss.management.http.port=" + FreePort.find())
                .addServerArgument("-Djava.io.tmpdir=" + Files.createDirectories(base.resolve("tmp")));
        setup.properties().forEach((name, value) -> command.addServerArgument("-D" + name + "=" + value));
        return command;
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Stops the process in its tracks: connections stay open and nothing is answered. */
    public void freeze() {
        ProcessSignal.STOP.send(process);
    }

    /** Lets a frozen process resume. */
    public void thaw() {
        ProcessSignal.CONT.send(process);
    }

    /** Ends the process as a crash would. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Returns whether it is no use to wait any longer: the process has ended, or the EAR could not be deployed. */
    public boolean hasFailed() {
        return !process.isAlive() || Files.exists(failure);
    }

    public Path log() {
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
