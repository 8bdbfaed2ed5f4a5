// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.testkit.RedisServer;

/** A node: the redis-server that is behind its address now, and the wires that lead there. */
final class Node implements AutoCloseable {

    private static final long SYNC_MILLIS = 20;

    private final Path directory;
    private final String fsync;
    private final List<Wire> wires = new ArrayList<>();
    private RedisServer server;
    private RedisServer replica;
    private Path copy;
    private boolean frozen;

    /** @param fsync when it writes to the disk, as Redis has it: everysec or always */
    Node(Path directory, String fsync) {
        this.directory = directory;
        this.fsync = fsync;
        this.server = start();
    }

    private RedisServer start() {
        return RedisServer.start(directory, "--appendonly", "yes", "--appendfsync", fsync);
    }

    Wire newWire() {
        Wire wire = new Wire(server.port());
        wires.add(wire);
        return wire;
    }

    /** @param client counts from 0 */
    Wire wire(int client) {
        return wires.get(client);
    }

    void weather(Wire.Weather weather) {
        wires.forEach(wire -> wire.weather(weather));
    }

    boolean isRunning() {
        return server.isAlive() && !frozen;
    }

    /** Sends a command to the process; does nothing, and returns nothing, if it is down or does not answer. */
    String command(String line) {
        if (!isRunning()) {
            return "";
        }
        try {
            return server.command(line);
        } catch (IOException e) {
            return "";
        }
    }

    void kill() {
        frozen = false;
        server.kill();
    }

    /** Starts it again with the files that it has, if it is down. */
    void restart() {
        if (!server.isAlive()) {
            server.start();
        }
    }

    void forgetFiles() {
        forgetFiles(server);
    }

    /** Also of those that are not needed any more: hours of faults would fill the disk. */
    private void forgetFiles(RedisServer of) {
        try {
            Path empty = Files.createTempDirectory(directory, "empty");
            of.restoreFiles(empty);
            Files.delete(empty);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void copyFiles() {
        try {
            copy = server.copyFiles();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts what was copied last in the place of the files. */
    void restoreCopy() {
        try (Stream<Path> files = Files.walk(copy)) {
            server.restoreFiles(copy);
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void freeze() {
        frozen = true;
        server.freeze();
    }

    void thaw() {
        frozen = false;
        server.thaw();
    }

    /** Blocks the process; where it does not allow to be debugged, with a script. */
    void sleep(int millis) {
        String answer = command("DEBUG SLEEP " + millis / 1_000.0);
        if (answer.startsWith("-")) {
            command("EVAL \"local t = redis.call('TIME') local e = t[1] * 1000 + t[2] / 1000 + " + millis
                    + " repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > e\" 0");
        }
    }

    /** Attaches a replica and waits until it has all. */
    void attachReplica() {
        if (replica == null && isRunning()) {
            replica = start();
            commandReplica("REPLICAOF 127.0.0.1 " + server.port());
            for (int turn = 0; turn < 100 && !command("INFO replication").contains("state=online"); turn++) {
                Threads.sleep(SYNC_MILLIS);
            }
        }
    }

    private void commandReplica(String line) {
        try {
            replica.command(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void detachReplica() {
        if (replica != null) {
            replica.close();
            forgetFiles(replica);
            replica = null;
        }
    }

    /** Makes a primary of the replica, which receives nothing more. */
    void promoteReplica() {
        if (replica != null) {
            commandReplica("REPLICAOF NO ONE");
        }
    }

    /** Leads all wires to the replica, and kills the process that was there. */
    void failOver() {
        if (replica != null) {
            frozen = false;
            server.close();
            forgetFiles(server);
            server = replica;
            replica = null;
            wires.forEach(wire -> wire.leadTo(server.port()));
        }
    }

    /** Ends all that was done to it. */
    void heal() {
        thaw();
        restart();
        detachReplica();
        weather(Wire.Weather.CLEAR);
        command("CONFIG SET maxmemory 0");
        command("CONFIG SET appendfsync " + fsync);
        command("ACL SETUSER default +@all");
    }

    @Override
    public void close() {
        wires.forEach(Wire::close);
        detachReplica();
        thaw();
        server.close();
    }
}
