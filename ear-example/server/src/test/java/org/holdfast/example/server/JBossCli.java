// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jboss.as.cli.CommandContext;
import org.jboss.as.cli.CommandContextFactory;
import org.jboss.as.cli.CommandLineException;
import org.jboss.as.cli.impl.CommandContextConfiguration;
import org.jboss.dmr.ModelNode;

/** Runs commands on WildFly as jboss-cli does. */
final class JBossCli {

    /** So long it waits for a server that is reloaded; of itself it would for 6 s. */
    private static final int PATIENCE_MILLIS = 60_000;

    private JBossCli() {}

    /**
     * Returns the results of those commands that are operations of the model; the others have none.
     *
     * @throws IllegalStateException with WildFly's answer if it refuses one
     */
    static List<ModelNode> run(List<String> commands) {
        String controller = "remote+http://localhost:" + System.getProperty("management.port");
        List<ModelNode> results = new ArrayList<>();
        try {
            CommandContext cli = CommandContextFactory.getInstance()
                    .newCommandContext(new CommandContextConfiguration.Builder()
                            .setController(controller)
                            .setConnectionTimeout(PATIENCE_MILLIS)
                            .build());
            try {
                cli.connectController();
                for (String command : commands) {
                    if (command.startsWith("/")) {
                        results.add(execute(cli, command));
                    } else {
                        cli.handle(command);
                    }
                }
            } finally {
                cli.terminateSession();
            }
        } catch (CommandLineException e) {
            throw new IllegalStateException("WildFly refused one of " + commands, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return results;
    }

    private static ModelNode execute(CommandContext cli, String operation) throws CommandLineException, IOException {
        ModelNode answer = cli.getModelControllerClient().execute(cli.buildRequest(operation));
        if (!answer.get("outcome").asString().equals("success")) {
            throw new CommandLineException(operation + ": " + answer);
        }
        return answer.get("result");
    }
}
