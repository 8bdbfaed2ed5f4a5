// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.nio.file.Path;

/**
 * What to start.
 *
 * @param server the target folder of the module that has provisioned the server
 * @param directory for everything that is written
 * @param httpPort of the page; the servers have the ports after it
 * @param servers how many
 * @param readOnly whether the page refuses all actions
 */
record DemoOptions(Path server, Path directory, int httpPort, int servers, boolean readOnly) {

    private static final int MOST_SERVERS = 2;

    DemoOptions {
        if (servers < 1 || servers > MOST_SERVERS) {
            throw new IllegalArgumentException("-Dservers must be 1 to " + MOST_SERVERS + ", was " + servers);
        }
        if (httpPort < 1 || httpPort + servers > 65_535) {
            throw new IllegalArgumentException("-Dhttp.port must be 1 to " + (65_535 - servers) + ", was " + httpPort);
        }
    }

    /** @param arguments server, directory, port, servers, read only */
    static DemoOptions of(String... arguments) {
        return new DemoOptions(
                Path.of(arguments[0]),
                Path.of(arguments[1]),
                number("http.port", arguments[2]),
                number("servers", arguments[3]),
                Boolean.parseBoolean(arguments[4]));
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-D" + name + " must be a number, was " + value, e);
        }
    }
}
