// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * Which Jedis this process has. An application may bring another one with it, whose methods differ: each lock would end
 * with a {@link NoSuchMethodError}, on whichever thread comes to it first.
 */
final class JedisVersion {

    private static final String NEEDED = "8.";

    private static final String DESCRIPTION = "/redis/clients/jedis/pom.properties";

    private JedisVersion() {}

    /** @throws IllegalStateException if it is another one than this library was built for */
    static void require() {
        URL description = Connection.class.getResource(DESCRIPTION);
        String problem = description == null ? null : problem(version(), description);
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
    }

    /** Returns what is wrong with a version; null if nothing is, or if it does not say which it is. */
    static @Nullable String problem(@Nullable String version, URL description) {
        if (version == null || version.startsWith(NEEDED)) {
            return null;
        }
        String place = description.toString();
        return "HF0108: Jedis " + NEEDED + "x is needed, and the class path has " + version + ": "
                + place.substring(0, place.length() - DESCRIPTION.length())
                + ". Use holdfast-standalone or the resource adapter, which have a Jedis of their own, or update that one";
    }

    private static @Nullable String version() {
        Properties properties = new Properties();
        try (InputStream in = Connection.class.getResourceAsStream(DESCRIPTION)) { // keeps no jar open, unlike a URL
            properties.load(in);
        } catch (IOException e) {
            return null; // a class path that hides it proves nothing
        }
        return properties.getProperty("version");
    }
}
