// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs TLC, the model checker, on a module of {@code src/test/tla}: in a process and a directory of its own. */
final class Tlc {

    static final Path MODULES = Path.of("src/test/tla");

    private static final Path RUNS = Path.of("target/tlc");
    private static final long LIMIT_MINUTES = 90;
    private static final Pattern VIOLATED =
            Pattern.compile("Error: (?:Invariant|Action property|Temporal property) (\\w+) (?:is|was) violated");
    private static final Pattern DISTINCT = Pattern.compile("([\\d,]+) distinct states found");
    private static final Pattern MET = Pattern.compile("<<\"met\", \"([^\"]*)\">>");
    private static final Pattern SITUATION = Pattern.compile("Note\\(\"([^\"]*)\"");

    private Tlc() {}

    /**
     * What TLC found.
     *
     * @param complete whether it has looked at every state, and no invariant and no property was violated
     * @param violated what was
     * @param distinct how many states it has looked at
     * @param met the situations in which it has been
     * @param output what it printed, with the steps that lead to the violation
     */
    record Result(boolean complete, Optional<String> violated, long distinct, Set<String> met, String output) {}

    /**
     * Runs TLC to its end.
     *
     * @param name of the directory of this run; no two at the same time have the same
     * @param config what a {@code .cfg} file holds
     */
    static Result check(String name, String module, String config) throws IOException, InterruptedException {
        return run(name, module, config, List.of());
    }

    /**
     * Runs TLC on what has one successor a state.
     *
     * @param traces the module {@code Traces}
     */
    static Result follow(String name, String module, String config, String traces)
            throws IOException, InterruptedException {
        Path directory = RUNS.resolve(name).toAbsolutePath();
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("Traces.tla"), traces);
        // it is over before the second compiler has paid
        return run(name, module, config, List.of("-DTLA-Library=" + directory, "-XX:TieredStopAtLevel=1"));
    }

    private static Result run(String name, String module, String config, List<String> options)
            throws IOException, InterruptedException {
        Path directory = RUNS.resolve(name).toAbsolutePath();
        Files.createDirectories(directory);
        Path cfg = Files.writeString(directory.resolve(name + ".cfg"), config);
        Path log = directory.resolve(name + ".log");
        Process process = new ProcessBuilder(command(directory, cfg, module, options))
                .directory(MODULES.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("TLC has not ended within " + LIMIT_MINUTES + " minutes: see " + log);
            }
        } finally {
            process.destroyForcibly();
        }
        return result(Files.readString(log));
    }

    /** TLC unpacks its modules into the temporary directory, and would meet those of other runs there. */
    private static List<String> command(Path directory, Path cfg, String module, List<String> options) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String jar = tlc2.TLC
                .class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        List<String> command = new ArrayList<>(asideOfOthers());
        command.add(java.toString());
        command.addAll(options);
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-Xmx1g",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                jar,
                "tlc2.TLC",
                "-nowarning",
                "-workers",
                "1",
                "-metadir",
                directory.resolve("states").toString(),
                "-config",
                cfg.toString(),
                module));
        return command;
    }

    /** Tests that run at the same time talk with processes that must answer in time. */
    private static List<String> asideOfOthers() {
        return Files.isExecutable(Path.of("/usr/bin/nice")) ? List.of("/usr/bin/nice", "-n", "19") : List.of();
    }

    private static Result result(String output) {
        Matcher violated = VIOLATED.matcher(output);
        Optional<String> name = violated.find() ? Optional.of(violated.group(1)) : Optional.empty();
        long distinct = DISTINCT.matcher(output)
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1).replace(",", "")))
                .reduce(0, (before, last) -> last);
        boolean complete = output.contains("Model checking completed. No error has been found.");
        return new Result(complete, name, distinct, all(MET, output), output);
    }

    /** Returns the situations that a module names. */
    static Set<String> situations(String module) throws IOException {
        return all(SITUATION, Files.readString(MODULES.resolve(module + ".tla")));
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toSet());
    }
}
