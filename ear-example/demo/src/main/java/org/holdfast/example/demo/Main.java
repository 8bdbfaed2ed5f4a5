// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.holdfast.example.demo.process.RedisNode;
import org.holdfast.example.demo.process.ShopServer;

/** Runs the demo until the JVM ends, and leaves nothing running. */
public final class Main {

    /** Kept here: the logging of the JVM does not keep it. */
    private static final Logger HOLDFAST = Logger.getLogger("org.holdfast");

    private Main() {}

    /** @param arguments those of {@link DemoOptions#of} */
    public static void main(String[] arguments) throws Exception {
        DemoOptions options = DemoOptions.of(arguments);
        logTo(options.directory());
        Demo demo = new Demo(options);
        // Ctrl-C and SIGTERM both end the JVM; its hooks are the last chance to end what it has started.
        Runtime.getRuntime().addShutdownHook(new Thread(demo::close, "demo-end"));
        try {
            demo.start();
            introduce(demo);
        } catch (IOException e) {
            if (!demo.isEnding()) {
                throw e;
            }
        }
        Thread.currentThread().join(); // until the JVM ends
    }

    /** What Holdfast logs of killed nodes goes to a file: the console is for what the user of the demo can do next. */
    private static void logTo(Path directory) throws IOException {
        FileHandler file = new FileHandler(
                Files.createDirectories(directory).resolve("launcher.log").toString());
        file.setFormatter(new SimpleFormatter());
        HOLDFAST.addHandler(file);
        HOLDFAST.setUseParentHandlers(false);
    }

    /** Prints what runs, what to try with it, and how it ends. The last line shows that all is there. */
    private static void introduce(Demo demo) {
        Processes all = demo.processes();
        String shop = all.servers().get(0).url() + "/shop";
        for (RedisNode node : all.nodes()) {
            say("Redis node " + node.index() + ":", node.uri() + ", process " + node.pid());
        }
        say(
                "PostgreSQL:",
                "port " + all.postgres().port() + ", process " + all.postgres().pid() + ", log "
                        + all.postgres().log());
        for (ShopServer server : all.servers()) {
            say(server.name() + ":", server.url() + ", process " + server.pid() + ", log " + server.log());
        }
        say("Try:", "open " + demo.url() + " and press its buttons, or");
        say("", "curl -X POST '" + shop + "/orders?sku=lamp'            sells one under the lock");
        say("", "curl -X POST '" + shop + "/orders-unlocked?sku=lamp'   sells one without");
        say("Then break:", "kill 2 of the 5 nodes: orders go on. Kill a third: orders fail, and say why");
        say("To stop:", "Ctrl-C, which ends all of these processes");
        System.out.println("Holdfast demo ready: " + demo.url());
    }

    private static void say(String what, String text) {
        System.out.printf("%-14s%s%n", what, text);
    }
}
