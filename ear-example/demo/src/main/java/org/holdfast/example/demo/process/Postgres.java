// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.ProcessSignal;

/** One PostgreSQL process with an empty database, on a free port of the loopback address. */
public final class Postgres implements AutoCloseable {

    private static final String USER = "shop";
    private static final String DATABASE = "postgres";

    /** Its port is open before that. */
    private static final String READY = "database system is ready to accept connections";

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long STOP_SECONDS = 10;
    private static final long POLL_MILLIS = 20;

    /**
     * A server that is frozen in the middle of a transaction keeps the row locked in the database, also when the lock
     * of Holdfast has long ended: so the database ends that transaction. As long as the longest TTL.
     */
    private static final String IDLE_TRANSACTION_TIMEOUT = "idle_in_transaction_session_timeout=5s";

    private final Process process;
    private final int port;
    private final String password;
    private final Path log;

    private Postgres(Process process, int port, String password, Path log) {
        this.process = process;
        this.port = port;
        this.password = password;
        this.log = log;
    }

    /**
     * Starts the process and waits until it takes connections.
     *
     * @param directory for its programs and its files
     * @param launched receives the id of each process before it is waited for
     * @throws IOException if it does not start; the message says why
     */
    public static Postgres start(Path directory, LongConsumer launched) throws IOException, InterruptedException {
        Path home = Files.createDirectories(directory).toAbsolutePath();
        Path programs = PostgresFiles.find(home).resolve("bin");
        return start(home, programs, OrdinaryUser.find(programs.resolve("postgres")), launched);
    }

    static Postgres start(Path home, Path programs, OrdinaryUser user, LongConsumer launched)
            throws IOException, InterruptedException {
        Path work = home.resolve("database");
        Folders.delete(work);
        user.give(Files.createDirectory(work));
        String password = new BigInteger(160, new SecureRandom()).toString(36);
        Path data = create(programs, user, work, password, launched);
        int port = FreePort.find();
        Path log = work.resolve("postgres.log");
        Process process = run(
                user.command(List.of(
                        programs.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-p",
                        Integer.toString(port),
                        "-c",
                        "listen_addresses=127.0.0.1",
                        "-c",
                        "unix_socket_directories=",
                        "-c",
                        IDLE_TRANSACTION_TIMEOUT)),
                log,
                launched);
        Postgres postgres = new Postgres(process, port, password, log);
        postgres.awaitStart();
        return postgres;
    }

    private static Path create(Path programs, OrdinaryUser user, Path work, String password, LongConsumer launched)
            throws IOException, InterruptedException {
        Path data = work.resolve("data");
        Path log = work.resolve("initdb.log");
        Path passwordFile = work.resolve("password");
        Files.createFile(
                passwordFile, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(passwordFile, password);
        user.give(passwordFile);
        try {
            Process initdb = run(
                    user.command(List.of(
                            programs.resolve("initdb").toString(),
                            "-D",
                            data.toString(),
                            "-U",
                            USER,
                            "--auth=scram-sha-256",
                            "--pwfile=" + passwordFile,
                            "--encoding=UTF8",
                            "--locale=C",
                            "--no-sync")),
                    log,
                    launched);
            if (initdb.waitFor() != 0) {
                throw new IOException("initdb ended with " + initdb.exitValue() + ": " + Files.readString(log));
            }
        } finally {
            Files.delete(passwordFile);
        }
        return data;
    }

    private static Process run(List<String> command, Path log, LongConsumer launched) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            launched.accept(process.pid());
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
        return process;
    }

    private void awaitStart() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (!Files.readString(log).contains(READY)) {
            if (!process.isAlive() || System.nanoTime() - begun > START_NANOS) {
                close();
                throw new IOException("PostgreSQL did not start: " + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS); // another process: there is nothing to be notified by
        }
    }

    /** Returns the system properties that have a server use this database. */
    public Map<String, String> properties() {
        return Map.of(
                "shop.database.driver",
                "postgresql",
                "shop.database.url",
                "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE,
                "shop.database.user",
                USER);
    }

    /** Returns what is not to be seen in a list of processes. */
    public Map<String, String> environment() {
        return Map.of("SHOP_DATABASE_PASSWORD", password);
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    public Path log() {
        return log;
    }

    /** Ends the process without waiting for its clients. Returns when it is gone. */
    @Override
    public void close() {
        ProcessSignal.INT.send(process);
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
