// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.quoted;

import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.holdfast.example.demo.browser.Tab;

/** A person in front of the page: presses buttons, and waits until the page shows what came of it. */
final class PageUser {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String RUN = "#runs article:nth-child(%d) ";

    static final String LOCKED = RUN.formatted(1);
    static final String UNLOCKED = RUN.formatted(2);

    private final Tab tab;

    PageUser(Tab tab) {
        this.tab = tab;
    }

    void press(String button) throws IOException, InterruptedException {
        tab.click("button[aria-label=" + quoted(button) + "]");
    }

    /** Waits until the text of an element is as expected. */
    void await(String selector, String pattern) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> assertThat(
                        tab.seen(selector))
                .matches(pattern));
    }

    /** Runs orders with the lock and without, and returns when both have ended. */
    void runBoth() throws IOException, InterruptedException {
        press("Run both");
        await("#load-notice", "Run both: begun\\.");
        await(LOCKED + ".chip", "running|done");
        await(LOCKED + ".chip", "done");
        await(UNLOCKED + ".chip", "done");
    }

    void awaitNode(int node, String state) {
        await("#nodes li:nth-child(" + (node + 1) + ") .chip", state);
    }
}
