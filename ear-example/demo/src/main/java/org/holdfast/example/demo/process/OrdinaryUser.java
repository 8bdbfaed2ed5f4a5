// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * What to put before a command so that it does not run as root, which PostgreSQL refuses.
 *
 * @param prefix empty if this process is not root's
 * @param owner the user that the command's files must belong to; empty if it is the user of this process
 */
record OrdinaryUser(List<String> prefix, String owner) {

    private static final String USER = "nobody";

    /** In a user namespace of its own, a process of root is nobody, and its files are as before. */
    private static final OrdinaryUser NAMESPACE = new OrdinaryUser(List.of("unshare", "-U"), "");

    /** Needs no right to make namespaces, as in a container, but each folder above the files must be open to all. */
    static final OrdinaryUser OTHER_USER =
            new OrdinaryUser(List.of("setpriv", "--reuid=" + USER, "--regid=65534", "--clear-groups"), USER);

    /**
     * Finds a way that works on this machine, by trying.
     *
     * @param program what is to run; it must answer {@code --version}
     * @throws IOException if there is none; the message says what was tried and what to do
     */
    static OrdinaryUser find(Path program) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return new OrdinaryUser(List.of(), "");
        }
        StringJoiner tried = new StringJoiner("; ");
        for (OrdinaryUser way : List.of(NAMESPACE, OTHER_USER)) {
            String failure = way.failure(program);
            if (failure.isEmpty()) {
                return way;
            }
            tried.add(failure);
        }
        throw new IOException(
                "PostgreSQL refuses to run as root, and no way was found to run it as another user: tried " + tried
                        + ". Run the demo as a user who is not root");
    }

    /** Returns why the program does not run in this way; empty if it does. */
    String failure(Path program) {
        List<String> command = command(List.of(program.toString(), "--version"));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int exit = process.onExit().join().exitValue();
            return exit == 0 ? "" : String.join(" ", command) + " ended with " + exit + ": " + said;
        } catch (IOException e) {
            return String.join(" ", command) + " did not run: " + e.getMessage();
        }
    }

    List<String> command(List<String> command) {
        List<String> whole = new ArrayList<>(prefix);
        whole.addAll(command);
        return whole;
    }

    /** Gives a file or folder to the user that the command runs as. */
    Path give(Path file) throws IOException {
        if (!owner.isEmpty()) {
            Files.setOwner(
                    file,
                    FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(owner));
        }
        return file;
    }
}
