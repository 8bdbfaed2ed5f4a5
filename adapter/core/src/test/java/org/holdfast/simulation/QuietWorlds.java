// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Keeps the protocol from logging while a class simulates: leases are lost by the thousand there. */
public final class QuietWorlds implements BeforeAllCallback, AfterAllCallback {

    /** Held, or their levels would be forgotten with them. */
    private static final List<Logger> LOGGERS = Stream.of("org.holdfast.protocol", "org.holdfast.audit")
            .map(Logger::getLogger)
            .toList();

    @Override
    public void beforeAll(ExtensionContext context) {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOGGERS.forEach(logger -> logger.setLevel(null));
    }
}
