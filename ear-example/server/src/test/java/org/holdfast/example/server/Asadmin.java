// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One asadmin process that runs command after command: each process of its own would take seconds. */
final class Asadmin implements AutoCloseable {

    private static final Pattern END = Pattern.compile("Command (\\S+) (executed successfully|failed)\\.");

    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    Asadmin(ProcessBuilder builder) throws IOException {
        process = builder.redirectErrorStream(true).start();
        commands = process.outputWriter();
        answers = process.inputReader();
    }

    /** @throws IOException with the server's answer if the command fails */
    List<String> run(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        List<String> answer = new ArrayList<>();
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            answer.add(line);
            Matcher end = END.matcher(line);
            if (end.matches()) {
                if (end.group(2).equals("failed")) {
                    throw new IOException("asadmin " + command + ": " + String.join("\n", answer));
                }
                return answer;
            }
        }
        throw new IOException("asadmin ended at " + command + ": " + String.join("\n", answer));
    }

    @Override
    public void close() throws IOException {
        commands.close(); // the end of its input is the end of asadmin
        process.destroy();
    }
}
