// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;

/** Runs commands in this JVM, with an environment of their own, and keeps what the last one wrote. */
final class Shell {

    private final Map<String, String> environment = new HashMap<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** @param nodes are used without a guard */
    Shell(String nodes) {
        environment.put("HOLDFAST_NODES", nodes);
        environment.put("HOLDFAST_GUARD", "OFF");
        environment.put("HOLDFAST_NODE_TIMEOUT_MILLIS", "2000");
    }

    void set(String variable, String value) {
        environment.put(variable, value);
    }

    int run(String... arguments) {
        return run(out, arguments);
    }

    /** @param reader receives what the command prints */
    int run(Writer reader, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(environment, new PrintWriter(reader, true), new PrintWriter(err, true), arguments);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
