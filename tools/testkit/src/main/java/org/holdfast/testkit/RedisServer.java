// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * One redis-server process on a free port of the loopback address, without persistence unless asked for.
 *
 * <p>It ends with {@link #close()}, or with this JVM.
 */
public final class RedisServer implements AutoCloseable {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_MILLIS = 10;

    /** Between the search for a free port and the start, another process may take it. */
    private static final int PORTS_TO_TRY = 5;

    /** A process that waits for a processor is not one that hangs. */
    private static final int ANSWER_MILLIS = 10_000;

    private final Path directory;
    private final int port;
    private final List<String> options;
    private final Map<String, String> environment;
    private final boolean sentinel;
    private final LongConsumer launched;
    private final Thread endWithJvm = new Thread(this::end, "redis-server-end");
    private Process process;
    private boolean ended;

    private RedisServer(
            Path directory,
            int port,
            List<String> options,
            Map<String, String> environment,
            boolean sentinel,
            LongConsumer launched) {
        this.directory = directory;
        this.port = port;
        this.options = options;
        this.environment = environment;
        this.sentinel = sentinel;
        this.launched = launched;
    }

    /**
     * Starts a process and waits until it answers.
     *
     * @param directory where it keeps its files; made if need be
     * @param options as on the command line of redis-server, added to ours
     */
    public static RedisServer start(Path directory, String... options) {
        return start(directory, Map.of(), false, pid -> {}, options);
    }

    /**
     * Does the same, and reports the id of each process before it waits for its answer, also when it is started again.
     */
    public static RedisServer start(Path directory, LongConsumer launched) {
        return start(directory, Map.of(), false, launched);
    }

    /** Does the same, and the process has this wall clock, also when it is started again. */
    public static RedisServer startWithClock(Path directory, ClockShim clock, String... options) {
        return start(directory, clock.environment(), false, pid -> {}, options);
    }

    /**
     * Starts a Sentinel. It keeps what it learns, also when it is killed and started again.
     *
     * @param lines of its configuration, added to ours
     */
    public static RedisServer startSentinel(Path directory, String... lines) {
        return start(directory, Map.of(), true, pid -> {}, lines);
    }

    private static RedisServer start(
            Path directory,
            Map<String, String> environment,
            boolean sentinel,
            LongConsumer launched,
            String... options) {
        boolean hasBus = List.of(options).contains("--cluster-enabled");
        for (int tried = 1; ; tried++) {
            int port = hasBus ? FreePort.findWithBus() : FreePort.find();
            RedisServer server = new RedisServer(directory, port, List.of(options), environment, sentinel, launched);
            Runtime.getRuntime().addShutdownHook(server.endWithJvm);
            try {
                server.deleteFiles(); // of an earlier run of the tests, which had this port for another server
                server.start();
                return server;
            } catch (UncheckedIOException e) {
                boolean exited = server.process != null && !server.process.isAlive();
                server.close();
                if (!exited || tried == PORTS_TO_TRY) {
                    throw e;
                }
            }
        }
    }

    /** Starts the process again, on the same port, after it was killed. */
    public void start() {
        try {
            launch();
            awaitPong(directory.resolve("redis-" + port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Shares its monitor with {@link #end}: a JVM that ends in the middle of this ends what was just launched. */
    private synchronized void launch() throws IOException {
        if (ended) {
            throw new IOException("the JVM is ending");
        }
        Path home = Files.createDirectories(directory.resolve("redis-" + port)).toAbsolutePath();
        ProcessBuilder builder = new ProcessBuilder(sentinel ? sentinelCommand(home) : serverCommand(home))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
        launched.accept(process.pid());
    }

    private List<String> serverCommand(Path home) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                RedisBinary.find(directory).toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                home.toString(),
                "--save",
                "",
                "--appendonly",
                "no"));
        command.addAll(options);
        return command;
    }

    /** A Sentinel writes what it learns into the file with its configuration, which may be there of an earlier test. */
    private List<String> sentinelCommand(Path home) throws IOException {
        Path configuration = home.resolve("sentinel.conf");
        if (process == null) {
            List<String> lines = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1", "dir " + home));
            lines.addAll(options);
            Files.write(configuration, lines);
        }
        return List.of(RedisBinary.find(directory).toString(), configuration.toString(), "--sentinel");
    }

    private void awaitPong(Path home) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!isUp() || !isOurs()) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IOException(
                        "redis-server on port " + port + " did not start: " + Files.readString(home.resolve("log")));
            }
            pause();
        }
    }

    private boolean isUp() {
        String answer = ask("PING");
        return "+PONG\r\n".equals(answer) || isGuarded(answer);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS); // another process: there is nothing to be notified by
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a redis-server started", e);
        }
    }

    /** The process of another test may have taken the port first: then that one answers, and ours exits. */
    private boolean isOurs() {
        String answer = ask("INFO server");
        return answer.contains("process_id:" + process.pid() + "\r\n") || isGuarded(answer);
    }

    /** One that asks for a password does not say which process it is. */
    private static boolean isGuarded(String answer) {
        return answer.startsWith("-NOAUTH");
    }

    /** Sends an inline command and returns the first bytes of the reply; empty if there is none. */
    public String ask(String line) {
        try {
            return command(line);
        } catch (IOException e) {
            return "";
        }
    }

    /** Sends an inline command and returns the first bytes of the reply as they come. */
    public String command(String line) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
            byte[] reply = new byte[8_192];
            int length = socket.getInputStream().read(reply);
            return length < 0 ? "" : new String(reply, 0, length, StandardCharsets.UTF_8);
        }
    }

    /**
     * Copies the files that it keeps, as a backup does while it runs.
     *
     * @return the folder with the copy
     */
    public Path copyFiles() throws IOException {
        Path copy = Files.createTempDirectory(directory, "backup");
        copy(home(), copy);
        return copy;
    }

    /** Loses its files. It must not run. */
    public void loseFiles() {
        deleteFiles();
    }

    /** Puts a copy in the place of its files. It must not run. */
    public void restoreFiles(Path copy) throws IOException {
        deleteFiles();
        copy(copy, home());
    }

    private Path home() {
        return directory.resolve("redis-" + port);
    }

    private void deleteFiles() {
        if (!Files.exists(home())) {
            return;
        }
        try (Stream<Path> files = Files.walk(home())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** Kills the process, as a crash would: what it had in memory is gone. */
    public synchronized void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    private synchronized void end() {
        ended = true;
        kill();
    }

    /** Stops the process in its tracks: connections stay open and nothing is answered. */
    public void freeze() {
        ProcessSignal.STOP.send(process);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Lets a frozen process resume. */
    public void thaw() {
        ProcessSignal.CONT.send(process);
    }

    /** Returns the process id of the process that was started last. */
    public long pid() {
        return process.pid();
    }

    public int port() {
        return port;
    }

    /** Returns the address in the form that Holdfast takes. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Kills the process and forgets it. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(endWithJvm);
        } catch (IllegalStateException e) {
            // the JVM is ending, and the hook runs anyway
        }
    }
}
