// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.List;
import org.jboss.as.cli.CommandContext;
import org.jboss.as.cli.CommandContextFactory;
import org.jboss.as.cli.CommandLineException;

/** Runs commands on WildFly as jboss-cli does. */
final class JBossCli {

    private JBossCli() {}

    /** @throws IllegalStateException with WildFly's answer if it refuses one */
    static void run(List<String> commands) {
        String controller = "remote+http://localhost:" + System.getProperty("management.port");
        try {
            CommandContext cli = CommandContextFactory.getInstance().newCommandContext(controller, null, null);
            try {
                cli.connectController();
                for (String command : commands) {
                    cli.handle(command);
                }
            } finally {
                cli.terminateSession();
            }
        } catch (CommandLineException e) {
            throw new IllegalStateException("WildFly refused one of " + commands, e);
        }
    }
}
