// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.holdfast.testkit.RedisServers;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Starts the nodes and chooses ports before the first test, and so before the application server starts. */
public final class RealServers implements LauncherSessionListener {

    private static RedisServers redis;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        redis = RedisServers.start(3, Path.of("target", "redis"));
        System.setProperty("holdfast.nodes", redis.uris());
        System.setProperty("http.port", freePort());
        System.setProperty("https.port", freePort());
        System.setProperty("management.port", freePort());
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        redis.close();
    }

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RedisServers redis() {
        return redis;
    }

    static String http() {
        return "http://localhost:" + System.getProperty("http.port");
    }

    /** Returns the EAR as it was built. */
    static EnterpriseArchive ear() {
        return ShrinkWrap.createFromZipFile(EnterpriseArchive.class, new File(System.getProperty("server.ear")));
    }
}
