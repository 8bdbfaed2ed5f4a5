// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.example.demo.browser.Chromium;
import org.holdfast.example.demo.browser.Tab;

/** Takes the pictures of the documentation. Argument: the directory to write them to. */
final class Pictures {

    private Pictures() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        Path scratch = Files.createTempDirectory("pictures");
        try (PlayedLauncher launcher = new PlayedLauncher();
                Chromium chromium = Chromium.start(scratch);
                Tab tab = chromium.newTab()) {
            for (String scheme : new String[] {"light", "dark"}) {
                tab.prefer(Map.of("prefers-color-scheme", scheme));
                for (int width : new int[] {1440, 360, 768}) {
                    take(
                            launcher,
                            tab,
                            compared(),
                            width,
                            directory.resolve("compared-" + scheme + "-" + width + ".png"));
                }
                take(launcher, tab, Played.calm(), 1440, directory.resolve("calm-" + scheme + ".png"));
                take(launcher, tab, busy(), 1600, directory.resolve("busy-" + scheme + ".png"));
            }
            System.out.println(tab.complaints());
        }
    }

    private static void take(PlayedLauncher launcher, Tab tab, Played state, int width, Path file)
            throws IOException, InterruptedException {
        tab.resize(width, 900, 1);
        launcher.play(state);
        tab.open(launcher.address("/"));
        TimeUnit.MILLISECONDS.sleep(400);
        tab.picture(file, width, 0);
        System.out.println(file + " " + Files.size(file));
    }

    static Played compared() {
        return Played.calm()
                .killed(1)
                .quarantined(3, 8400)
                .done("locked", 100, 0, 1840)
                .done("unlocked", 174, 0, 760)
                .leases(300, 900)
                .job(8)
                .staleWriter(
                        "REFUSED",
                        "WildFly A takes the lock and is frozen.",
                        "The lease of WildFly A ends on the nodes.",
                        "WildFly B takes the lock and writes the row.",
                        "WildFly A goes on, and does not know that its lease has ended.",
                        "The row refuses its token: nothing is written.")
                .event(62000, "LOAD", "INFO", "300 orders under the lock: 100 sold, none oversold")
                .event(66000, "LOAD", "BAD", "300 orders without the lock: 74 units oversold")
                .event(71000, "NODE", "WARN", "node 1 was killed")
                .event(74000, "NODE", "INFO", "node 3 was started")
                .event(75000, "NODE", "WARN", "node 3 is in quarantine: the process is new")
                .event(79000, "JOB", "INFO", "WildFly B ran the job, WildFly A skipped it");
    }

    static Played busy() {
        return Played.calm()
                .held(1, Played.TOKEN, 4100, 14)
                .running("locked", 120, 60, 40)
                .leases(300, 3)
                .add("/leases/-", Played.lease(1, Played.TOKEN, 81_232, null))
                .job(12)
                .with("/servers/0/process", "FROZEN")
                .with("/servers/0/held", null)
                .with("/servers/0/waiting", null)
                .with("/servers/0/p50Millis", null)
                .with("/servers/0/p99Millis", null)
                .with("/servers/0/ordersPerSecond", null)
                .staleWriter(
                        "RUNNING",
                        "WildFly A takes the lock and is frozen.",
                        "Waiting until its lease ends on the nodes.");
    }
}
