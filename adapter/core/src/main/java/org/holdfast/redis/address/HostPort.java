// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * A host and a port, as they stand in a URI.
 *
 * @param host a name, an IPv4 address, or an IPv6 address in brackets
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {

    private static final int LARGEST_PORT = 65_535;

    /** @throws IllegalArgumentException if there is no such host or port */
    public HostPort {
        if (!isHost(host)) {
            throw new IllegalArgumentException("there is no such host");
        }
        if (port < 1 || port > LARGEST_PORT) {
            throw new IllegalArgumentException("the port must be 1 to " + LARGEST_PORT);
        }
    }

    /**
     * Returns what a server names, which puts no brackets around an IPv6 address.
     *
     * @throws IllegalArgumentException if there is no such host or port
     */
    public static HostPort named(String host, int port) {
        boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
        return new HostPort(bare ? "[" + host + "]" : host, port);
    }

    /**
     * Parses {@code host[:port]}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static HostPort parse(String text, int defaultPort) {
        int colon = text.lastIndexOf(':');
        if (colon <= text.lastIndexOf(']')) {
            return new HostPort(text, defaultPort);
        }
        try {
            return new HostPort(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("its port is no number", e);
        }
    }

    private static boolean isHost(String text) {
        try {
            return text.equals(new URI("redis://" + text).getHost());
        } catch (URISyntaxException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
