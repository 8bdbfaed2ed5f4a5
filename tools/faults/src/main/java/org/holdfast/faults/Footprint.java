// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a client process uses. Where the system has no {@code /proc}, only its heap is known, and the others are -1.
 *
 * @param heapBytes after a collection
 * @param threads how many
 * @param descriptors how many files and sockets
 * @param sockets how many of these are sockets
 */
record Footprint(long heapBytes, long threads, long descriptors, long sockets) {

    static Footprint of(ClientProcess client) throws InterruptedException {
        long heap = client.heapBytes();
        Path process = Path.of("/proc", Long.toString(client.pid()));
        return new Footprint(
                heap,
                count(process.resolve("task"), ""),
                count(process.resolve("fd"), ""),
                count(process.resolve("fd"), "socket:"));
    }

    private static long count(Path directory, String target) {
        try (Stream<Path> entries = Files.list(directory)) {
            List<Path> all = entries.toList();
            return all.stream().filter(entry -> leadsTo(entry, target)).count();
        } catch (IOException e) {
            return -1;
        }
    }

    private static boolean leadsTo(Path entry, String target) {
        if (target.isEmpty()) {
            return true;
        }
        try {
            return Files.readSymbolicLink(entry).toString().startsWith(target);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    @Override
    public String toString() {
        return heapBytes / 1_024 + " KiB of heap, " + threads + " threads, " + descriptors + " descriptors, " + sockets
                + " sockets";
    }
}
