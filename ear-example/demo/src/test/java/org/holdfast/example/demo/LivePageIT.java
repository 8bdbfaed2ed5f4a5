// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The page with the real launcher, in a real browser, used by its buttons. */
@Tag("thorough")
@NeedsBrowser
@Timeout(300)
class LivePageIT {

    private static Demo demo;

    @BeforeAll
    static void start() throws Exception {
        demo = new Demo(new DemoOptions(
                Path.of(System.getProperty("server.target")),
                Path.of("target", "live-page-it"),
                FreePorts.inARow(3),
                2,
                false));
        demo.start();
    }

    @AfterAll
    static void stop() {
        demo.close();
    }

    @Test
    void orders_runFromThePage_areOversoldOnlyWithoutTheLock(Tab tab) throws Exception {
        tab.open(demo.url());
        PageUser user = new PageUser(tab);

        user.runBoth();

        assertThat(tab.seen(PageUser.LOCKED + ".result")).isEqualTo("0 units oversold");
        assertThat(tab.seen(PageUser.UNLOCKED + ".result")).matches("[1-9]\\d* units? oversold");
        assertThat(tab.text("document.querySelector('" + PageUser.UNLOCKED + ".result').dataset.tone"))
                .isEqualTo("bad");
        user.await("#verdict", "\\d+ leases: no two at the same time, every token larger than the one before\\.");
    }

    @Test
    void node_killedByItsButton_comesBackThroughQuarantine(Tab tab) throws Exception {
        tab.open(demo.url());
        PageUser user = new PageUser(tab);

        user.press("Kill node 2");
        user.awaitNode(2, "unreachable");
        assertThat(demo.state().nodes().get(2).process()).isEqualTo(ProcessState.STOPPED);
        user.await("#quorum", "4 of 5 vote, 3 must: locks can be taken\\.");

        user.press("Start node 2");
        user.awaitNode(2, "quarantine");
        user.await("#nodes li:nth-child(3) .until", "votes again in \\d s");
        user.awaitNode(2, "votes");
    }

    @Test
    void staleWriter_runFromThePage_isRefusedByTheRow(Tab tab) throws Exception {
        tab.open(demo.url());
        PageUser user = new PageUser(tab);

        user.press("Run the stale writer");
        user.await("#stale .outcome", "running|refused by the row");
        user.await("#stale .outcome", "refused by the row");

        assertThat(tab.seen("#stale .compare")).isEqualTo("<");
        assertThat(tab.number("document.querySelectorAll('#stale .steps li').length"))
                .isGreaterThanOrEqualTo(4);
        user.await("#verdict", "\\d+ leases: no two at the same time, every token larger than the one before\\.");
    }

    @Test
    void page_ofOperators_showsTheSameWithoutButtons(Tab tab) throws Exception {
        tab.open(demo.url() + "operate");

        assertThat(tab.number("document.querySelectorAll('button').length")).isZero();
        assertThat(tab.seen("#nodes")).contains("Node 4");
    }

    /** Takes the pictures of the documentation; see {@code .ci/screenshots}. */
    @Test
    @EnabledIfSystemProperty(named = "pictures", matches = ".+", disabledReason = "no directory for pictures")
    void page_inUse_isAsThePicturesShow(Tab tab) throws Exception {
        Pictures pictures = new Pictures(tab, Path.of(System.getProperty("pictures")));
        tab.open(demo.url());
        PageUser user = new PageUser(tab);

        user.press("Run the stale writer");
        user.await("#stale .outcome", "running");
        user.await("#stale .outcome", "refused by the row");
        user.press("Kill node 1");
        user.awaitNode(1, "unreachable");
        user.runBoth();
        pictures.take("node-killed", ".panel.nodes");
        user.press("Kill node 3");
        user.awaitNode(3, "unreachable");
        user.press("Start node 3");
        user.awaitNode(3, "quarantine");
        pictures.take("node-in-quarantine", ".panel.nodes");
        pictures.take("live-page", ".top, .orders, .nodes");
        pictures.take("live-page-leases", ".lock, .leases");

        user.press("Start node 1");
        user.awaitNode(1, "votes");
        user.awaitNode(3, "votes");
    }
}
