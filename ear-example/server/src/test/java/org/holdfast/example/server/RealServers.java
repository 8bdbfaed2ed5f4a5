// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.File;
import java.nio.file.Path;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServers;
import org.jboss.shrinkwrap.api.ArchiveFormat;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
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
        System.setProperty("server.options", options());
        Jdk.atLeast(Integer.getInteger("server.java.minimum", 17))
                .ifPresent(home -> System.setProperty("server.java", home.toString()));
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

    /** Returns what the server's virtual machine needs to know of the tests. */
    static String options() {
        return "-XX:SoftRefLRUPolicyMSPerMB=0 -XX:TieredStopAtLevel=1 -Dholdfast.nodes="
                + System.getProperty("holdfast.nodes") + " -Dserver=" + System.getProperty("server");
    }

    /** Returns the EAR as it was built, but for what this server calls its factories. */
    static EnterpriseArchive ear() {
        EnterpriseArchive ear =
                ShrinkWrap.createFromZipFile(EnterpriseArchive.class, new File(System.getProperty("server.ear")));
        WebArchive shop = ear.getAsType(WebArchive.class, "shop.war", ArchiveFormat.ZIP);
        ear.delete("shop.war");
        return ear.addAsModule(References.adapt(shop));
    }
}
