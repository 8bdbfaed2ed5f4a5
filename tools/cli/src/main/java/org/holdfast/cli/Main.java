// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Map;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.InvalidSettingsException;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.Setting;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code java -jar holdfast-cli.jar COMMAND}. */
@Command(
        name = "holdfast",
        description = "Looks at Redis nodes and at the locks on them, and takes locks away from holders that hang.",
        footer = {
            "",
            "The settings are those of the applications: environment variables such as HOLDFAST_NODES, or a file.",
            "Exit codes: 0 done; 1 too few nodes can be used; 2 wrong usage, name or settings; 3 no holder had the lock;",
            "4 too few nodes confirmed a release, and some may have done it; 5 refused: a permission is missing, or the clock",
            "of this machine or of a node is wrong."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {
            NodesCommand.class,
            LocksCommand.class,
            HoldersCommand.class,
            WaitersCommand.class,
            ReleaseCommand.class,
            WatchCommand.class
        })
public final class Main {

    /** Too few nodes can be used. */
    static final int UNAVAILABLE = 1;

    /** The options or the settings are wrong. */
    static final int USAGE = 2;

    /** No holder had the lock. */
    static final int NOTHING_RELEASED = 3;

    /** Enough nodes can be used, and it cannot be done: a permission is missing, or a clock is wrong. */
    static final int REFUSED = 5;

    /** What the manifest of the jar says. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"holdfast " + (version == null ? "(not packaged)" : version)};
        }
    }

    Main() {}

    /**
     * Runs a command, and ends the JVM with its exit code.
     *
     * @param arguments the command and its options
     */
    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true);
        PrintWriter err = new PrintWriter(System.err, true);
        Logs.writeAuditTo(new ShownLines(err));
        System.exit(run(System.getenv(), out, err, arguments));
    }

    /** Runs a command, and returns its exit code. */
    static int run(Map<String, String> environment, PrintWriter out, PrintWriter err, String... arguments) {
        PrintWriter shownErr = new ShownLines(err);
        return new CommandLine(new Main(), new Commands(environment))
                .setOut(new ShownLines(out))
                .setErr(shownErr)
                .setExpandAtFiles(false) // the name of a lock may begin with an @
                .setExecutionStrategy(new CommandLine.RunLast())
                .setExecutionExceptionHandler((failure, command, parsed) -> fail(failure, shownErr))
                .execute(arguments);
    }

    /** Says what is wrong without a stack trace, as far as it is known. */
    private static int fail(Exception failure, PrintWriter err) throws Exception {
        int code = exitCode(failure);
        err.println(failure.getMessage());
        return code;
    }

    private static int exitCode(Exception failure) throws Exception {
        if (failure instanceof InvalidSettingsException
                || failure instanceof InvalidLockRequestException
                || failure instanceof IllegalArgumentException) {
            return USAGE;
        }
        if (failure instanceof QuorumUnavailableException unavailable) {
            return unavailable(unavailable.failures().values());
        }
        if (failure instanceof LockException) {
            return REFUSED;
        }
        throw failure;
    }

    /** Returns the exit code for nodes that cannot be used: these may be wrong settings, which both are shown then. */
    static int unavailable(Collection<String> causes) {
        String setting = Setting.MAX_LEASE_TTL_MILLIS.key() + "=";
        return causes.stream().anyMatch(cause -> cause.contains(setting)) ? USAGE : UNAVAILABLE;
    }

    /** Makes commands, which have the environment from here. */
    private record Commands(Map<String, String> environment) implements CommandLine.IFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            return type == Target.class
                    ? type.cast(new Target(environment))
                    : CommandLine.defaultFactory().create(type);
        }
    }
}
