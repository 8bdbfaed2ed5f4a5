// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the library logs in the process of a command: the audit, and faults. The rest is in what commands print. */
final class Logs {

    /** Kept, because the log manager remembers loggers weakly. */
    private static final Logger LIBRARY = Logger.getLogger("org.holdfast");

    private static final Logger AUDIT = Logger.getLogger("org.holdfast.audit");

    private Logs() {}

    static void writeAuditTo(PrintWriter err) {
        LogManager.getLogManager().reset();
        LIBRARY.setLevel(Level.SEVERE);
        AUDIT.setLevel(Level.ALL);
        LIBRARY.addHandler(new Handler() {
            @Override
            public void publish(LogRecord line) {
                err.println(line.getInstant() + " " + line.getMessage());
            }

            @Override
            public void flush() {
                err.flush();
            }

            @Override
            public void close() {
                err.flush();
            }
        });
    }
}
