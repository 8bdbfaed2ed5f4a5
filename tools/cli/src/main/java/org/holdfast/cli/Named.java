// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.holdfast.LockRequest;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which lock: options of all commands about one. */
final class Named {

    @Parameters(paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Option(
            names = "--permits",
            paramLabel = "NUMBER",
            defaultValue = "0",
            description = "For a semaphore: how many permits it has, as in the requests for it.")
    private int permits;

    /** @throws IllegalArgumentException if the name is not what was typed */
    LockRequest request() {
        if (!isReadable(name, System.getProperty("sun.jnu.encoding", ""))) {
            throw new IllegalArgumentException("the name of the lock has letters that the locale of this shell does not"
                    + " have, or a question mark that may stand for one: set LC_ALL=C.UTF-8, or another locale with"
                    + " UTF-8, and try again");
        }
        return permits == 0 ? LockRequest.of(name) : LockRequest.semaphore(name, permits);
    }

    /** Returns what has no holder, in words: a lock and a semaphore of one name are independent. */
    String described() {
        return permits == 0
                ? "the lock " + Table.quoted(name)
                : "one of the first " + permits + " permits of the semaphore " + Table.quoted(name);
    }

    /** Returns what to add to a command that found no holder: what was not asked for may be held. */
    String hint() {
        return permits == 0 ? " For a semaphore of that name, add --permits." : "";
    }

    /**
     * Returns whether the name is what was typed. Java puts another letter in the place of each that its encoding of
     * arguments does not have: a lock of that other name is free.
     */
    static boolean isReadable(String name, String encoding) {
        return name.indexOf('\uFFFD') < 0 && (name.indexOf('?') < 0 || !isAscii(encoding));
    }

    private static boolean isAscii(String encoding) {
        try {
            return Charset.forName(encoding).equals(StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) { // a name of an encoding that Java does not know
            return false;
        }
    }
}
