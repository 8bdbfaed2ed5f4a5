// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.File;
import java.nio.file.Path;
import org.holdfast.testkit.FreePort;
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
        System.setProperty("http.port", Integer.toString(FreePort.find()));
        System.setProperty("https.port", Integer.toString(FreePort.find()));
        System.setProperty("management.port", Integer.toString(FreePort.find()));
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        redis.close();
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
