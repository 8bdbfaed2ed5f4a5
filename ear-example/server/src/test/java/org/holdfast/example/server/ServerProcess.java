// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.as.arquillian.container.ManagementClient;
import org.jboss.dmr.ModelNode;

/** The application server's process: what a resource adapter might leave behind in it. */
final class ServerProcess {

    /** A class loader of the deployment with its name; of several, only one is printed. */
    private static final Pattern LOADER =
            Pattern.compile("\"deployment\\.holdfast-shop\\.ear[^(]*(?:\\(\\+ (\\d+) more\\))?");

    /** The name of a thread, as far as the first number in it. */
    private static final Pattern THREAD = Pattern.compile("\"(\\D*)[^\"]*\".* os_prio=.*");

    private final long pid;

    private ServerProcess(long pid) {
        this.pid = pid;
    }

    /** Finds the process by the name that its virtual machine has: {@code pid@host}. */
    static ServerProcess of(ManagementClient management) throws IOException {
        ModelNode read = new ModelNode();
        read.get("operation").set("read-attribute");
        read.get("address").add("core-service", "platform-mbean").add("type", "runtime");
        read.get("name").set("name");
        String name =
                management.getControllerClient().execute(read).get("result").asString();
        return new ServerProcess(Long.parseLong(name.substring(0, name.indexOf('@'))));
    }

    /** Returns how many class loaders of the deployment are left after a full garbage collection. */
    int classLoaders() throws IOException {
        jcmd("GC.run");
        return jcmd("VM.classloaders").stream()
                .map(LOADER::matcher)
                .filter(Matcher::find)
                .mapToInt(found -> found.group(1) == null ? 1 : 1 + Integer.parseInt(found.group(1)))
                .sum();
    }

    /** Returns how many threads there are of each name, numbers apart. */
    Map<String, Long> threads() throws IOException {
        return jcmd("Thread.print").stream()
                .map(THREAD::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.groupingBy(found -> found.group(1), TreeMap::new, Collectors.counting()));
    }

    /** Returns how many files, sockets and selectors are open; 0 where the operating system does not tell. */
    long openFiles() throws IOException {
        Path descriptors = Path.of("/proc", Long.toString(pid), "fd");
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(descriptors)) {
            return open.count();
        }
    }

    private List<String> jcmd(String command) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = process.inputReader()) {
            List<String> lines = output.lines().toList();
            if (process.onExit().join().exitValue() != 0) {
                throw new IOException(command + " of process " + pid + " failed: " + lines);
            }
            return lines;
        }
    }
}
