// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.holdfast.LockHolder;
import org.holdfast.LockOperations;
import org.holdfast.LockState;
import org.holdfast.QuorumUnavailableException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "release",
        description = {
            "Takes a lock away from its holders, in whichever process, and writes that to the error output.",
            "A holder goes on as if it had the lock until its next renewal, for up to a third of its TTL: then two work.",
            "Where no holder is left, it removes what nodes keep of the lease of a process that has died (exit code 3)."
        },
        footer = {
            "",
            "Patience is for the look before it. It is done once: a second one might meet the next holder.",
            "Exit code 4: too few nodes confirmed it, and some may have done it."
        },
        mixinStandardHelpOptions = true)
final class ReleaseCommand implements Callable<Integer> {

    /** Too few nodes confirmed the release, and some may have carried it out. */
    static final int PERHAPS_RELEASED = 4;

    /** So much of a reason is in the audit, after the name of the user. */
    private static final int LONGEST_REASON = 200;

    private static final int LONGEST_USER = 60;

    private static final String LINGERING = " If nodes kept something of a lease that had ended, it was removed.";

    @Mixin
    private Target target;

    @Mixin
    private Named lock;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "TEXT",
            description = "Why, for the audit: up to " + LONGEST_REASON + " characters.")
    private String reason = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description =
                    "Only from the holder with this token, as the command holders shows it; another one, which has"
                            + " the lock by now, keeps it. A lock that a process hands off inside is shown with the"
                            + " first of its tokens, and each of them names it. Default: from every holder.")
    private @Nullable Long token;

    @Override
    public Integer call() {
        if (reason.isBlank() || reason.length() > LONGEST_REASON) {
            throw new IllegalArgumentException("--reason must have 1 to " + LONGEST_REASON
                    + " characters, not all of them blank; it had " + reason.length());
        }
        String user = System.getProperty("user.name");
        String audited = "the user " + user.substring(0, Math.min(user.length(), LONGEST_USER))
                + " of the command line: " + reason;
        try (LockOperations operations = target.open()) {
            target.ask(operations, it -> it.holders(lock.request()));
            return releaseOnce(operations, audited);
        }
    }

    /** A second try could take the lock away from the next holder, which is innocent. */
    private int releaseOnce(LockOperations operations, String audited) {
        List<LockHolder> gone;
        try {
            gone = token == null
                    ? operations.forceRelease(lock.request(), audited)
                    : operations.forceRelease(lock.request(), token, audited);
        } catch (QuorumUnavailableException e) {
            if (!e.isPerhapsReleased()) {
                throw e;
            }
            spec.commandLine().getErr().println(e.getMessage());
            spec.commandLine()
                    .getErr()
                    .println("The lock may have been released, on some nodes or on all. It was tried once: see with"
                            + " the command holders which holder has it now, before you release it again.");
            return PERHAPS_RELEASED;
        }
        if (gone.isEmpty()) {
            spec.commandLine()
                    .getOut()
                    .println("No holder" + (token == null ? "" : " with token " + token) + " had " + lock.described()
                            + "." + (token == null ? LINGERING : "") + lock.hint());
            return Main.NOTHING_RELEASED;
        }
        Locks.print(
                List.of(new LockState(lock.request(), gone, 0, 0)),
                operations.nodeCount(),
                spec.commandLine().getOut());
        return 0;
    }
}
