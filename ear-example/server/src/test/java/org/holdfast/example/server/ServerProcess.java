// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The application server's process: what a resource adapter might leave behind in it. */
final class ServerProcess {

    /** A class that each class loader of a deployed adapter has once. */
    private static final Pattern ADAPTER = Pattern.compile("\\borg\\.holdfast\\.connector\\.HoldfastResourceAdapter$");

    /** How many instances there are of it, once for each class loader. */
    private static final Pattern LOCK_SERVICES =
            Pattern.compile(" *\\d+: +(\\d+) .* org\\.holdfast\\.runtime\\.LockService\\b(?!\\$).*");

    /** The name of a thread, as far as the first number in it. */
    private static final Pattern THREAD = Pattern.compile("\"(\\D*)[^\"]*\".* os_prio=.*");

    private final long pid;

    ServerProcess(long pid) {
        this.pid = pid;
    }

    /** Returns how many class loaders of deployed adapters are left after a full garbage collection. */
    int classLoaders() throws IOException {
        jcmd("GC.run");
        return (int) jcmd("VM.classloaders", "show-classes=true", "fold=false").stream()
                .filter(line -> ADAPTER.matcher(line).find())
                .count();
    }

    /** Returns how many lock services are left after a full garbage collection. */
    long lockServices() throws IOException {
        return jcmd("GC.class_histogram").stream()
                .map(LOCK_SERVICES::matcher)
                .filter(Matcher::matches)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    /** Returns how many threads there are of each name, numbers apart. */
    Map<String, Long> threads() throws IOException {
        return jcmd("Thread.print").stream()
                .map(THREAD::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.groupingBy(found -> found.group(1), TreeMap::new, Collectors.counting()));
    }

    /**
     * Returns how many sockets and selectors are open; 0 where the operating system does not report them. Archives are
     * the server's affair: some keep those of applications that are gone.
     */
    long sockets() throws IOException {
        Path descriptors = Path.of("/proc", Long.toString(pid), "fd");
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(descriptors)) {
            return open.filter(ServerProcess::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("socket:") || target.startsWith("anon_inode:");
        } catch (IOException e) {
            return false; // closed in the meantime
        }
    }

    private List<String> jcmd(String... command) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("server.java"), "bin", "jcmd").toString(), Long.toString(pid)));
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader()) {
            List<String> lines = output.lines().toList();
            if (process.onExit().join().exitValue() != 0) {
                throw new IOException(line + " of process " + pid + " failed: " + lines);
            }
            return lines;
        }
    }
}
