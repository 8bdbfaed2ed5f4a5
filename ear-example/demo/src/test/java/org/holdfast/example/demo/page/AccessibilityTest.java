// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NeedsBrowser
class AccessibilityTest {

    private static final String FOCUSED = "(() => { const e = document.activeElement;"
            + " return e === document.body ? 'none' : e.getAttribute('aria-label') || e.textContent.trim(); })()";

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    /** Every panel says something, in every tone. */
    static Played full() {
        return Played.compared()
                .with("/nodes/4/state", "REFUSED")
                .with("/nodes/4/reason", "its maxmemory-policy may evict locks")
                .with("/servers/0/process", "FROZEN")
                .with("/servers/1/process", "STOPPED")
                .with("/runs/locked/problem", "2 orders failed")
                .held(0, Played.TOKEN, 4100, 14)
                .with("/leases", List.of(Played.lease(0, 5, 80_000, 80_010.0), Played.lease(1, 6, 80_005, 80_020.0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void texts_inBothSchemes_haveEnoughContrast(String scheme, Tab tab) throws Exception {
        tab.prefer(Map.of("prefers-color-scheme", scheme));
        for (Played state : List.of(Played.calm(), full(), Played.busy())) {
            launcher.play(state);
            tab.open(launcher.address("/"));
            tab.click(".numbers summary");
            tab.evaluate(
                    "document.querySelectorAll('.notice').forEach((n) => { n.dataset.tone = 'warn'; n.textContent ="
                            + " 'refused'; })");

            assertThat(tab.text(Scripts.read("contrast.js"))).isEmpty();
        }
    }

    @Test
    void schemes_ofTheReader_changeThePage(Tab tab) throws Exception {
        tab.prefer(Map.of("prefers-color-scheme", "light"));
        tab.open(launcher.address("/"));
        String ground = "getComputedStyle(document.body).backgroundColor";
        String light = tab.text(ground);

        tab.prefer(Map.of("prefers-color-scheme", "dark"));

        assertThat(tab.text(ground)).isNotEqualTo(light);
    }

    @Test
    void keyboard_alone_reachesEveryControlWithVisibleFocus(Tab tab) throws Exception {
        tab.open(launcher.address("/"));
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            tab.press("Tab");
            String focused = tab.text(FOCUSED);
            if (focused.equals("none") || reached.contains(focused)) {
                break;
            }
            reached.add(focused);
            assertThat(tab.text("(() => { const s = getComputedStyle(document.activeElement);"
                            + " return s.outlineStyle + ' ' + s.outlineWidth; })()"))
                    .as("focus on " + focused)
                    .isEqualTo("solid 2px");
        }

        assertThat(reached)
                .startsWith("read-only view", "Run both", "Run with the lock", "Run without the lock", "Pause node 0")
                .contains("Kill node 4", "Freeze WildFly A", "Kill WildFly B", "The newest leases in numbers")
                .contains("Run the stale writer", "Runs of the job", "Events, newest first")
                .hasSize(1 + 3 + 15 + 2 * 3 + 1 + 1 + 1 + 1);
    }

    @ParameterizedTest
    @CsvSource({"Enter", "' '"})
    void key_onAButton_pressesItAndKeepsTheFocus(String key, Tab tab) throws Exception {
        tab.open(launcher.address("/"));
        tab.evaluate("document.querySelector('#nodes button').focus()");

        tab.press(key);

        await(() -> assertThat(launcher.actions()).containsExactly("nodes/0/pause"));
        launcher.play(Played.calm().with("/nodes/0/process", "PAUSED"));
        await(() -> assertThat(tab.text(FOCUSED)).isEqualTo("Resume node 0"));
    }

    @Test
    void motion_thatTheReaderDoesNotWant_isLeftOut(Tab tab) throws Exception {
        String moving = "[...document.querySelectorAll('*')].filter((e) =>"
                + " parseFloat(getComputedStyle(e).transitionDuration) > 0 || getComputedStyle(e).animationName !=="
                + " 'none').length";
        tab.open(launcher.address("/"));
        assertThat(tab.number(moving)).isPositive();

        tab.prefer(Map.of("prefers-reduced-motion", "reduce"));

        assertThat(tab.number(moving)).isZero();
        assertThat(tab.number(
                        "new Promise((done) => { let n = 0; const o = new MutationObserver((m) => { n += m.length; });"
                                + " o.observe(document.querySelector('.plot g:not([class])'), { attributes: true });"
                                + " setTimeout(() => done(n), 1500); })"))
                .as("moves of the time line in 1.5 s: one a second, and one for each state")
                .isLessThan(8);
    }

    @Test
    void announcements_whileNumbersTick_stayAsTheyAre(Tab tab) throws Exception {
        Played running = Played.calm().running("locked", 10, 10, 90);
        launcher.play(running);
        tab.open(launcher.address("/"));
        tab.evaluate("window.told = []; new MutationObserver(() =>"
                + " told.push(document.getElementById('announcements').textContent)).observe(document.getElementById('announcements'),"
                + " { childList: true, characterData: true, subtree: true })");

        for (int i = 1; i <= 5; i++) {
            Played next = running.running("locked", 10 + i, 10 + i, 90 - i)
                    .held(i % 2, Played.TOKEN + i, 4000, i)
                    .at(running.now() + 300L * i);
            launcher.play(next);
            int placed = 10 + i;
            await(() -> assertThat(tab.seen("#runs .progress")).startsWith(placed + " of"));
        }
        assertThat(tab.text("told")).isEmpty();

        launcher.play(running.done("locked", 100, 0, 1840).killed(1).at(running.now() + 2000));
        await(() -> assertThat(tab.text("told"))
                .isEqualTo("With the lock: 100 sold, 0 units oversold, in 1.8 s. Node 1: unreachable."));
    }

    @Test
    void numbers_thatChange_moveNothing(Tab tab) throws Exception {
        tab.resize(1440, 900, 1);
        launcher.play(Played.calm());
        tab.open(launcher.address("/"));
        String boxes = "[...document.querySelectorAll('.panel, .row, .run, .facts div, .buttons')].map((e) => {"
                + " const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].map(Math.round); })";
        String before = tab.text(boxes);

        launcher.play(Played.busy()
                .with("/servers/0/process", "RUNNING")
                .with("/staleWriter", Played.calm().json().get("staleWriter"))
                .with("/job/runs", List.of())
                .quarantined(2, 8000)
                .with("/servers/1/ordersPerSecond", 12345)
                .with("/servers/1/p99Millis", 1234.5));
        await(() -> assertThat(tab.seen("#servers")).contains("12,345"));

        assertThat(tab.text(boxes)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 480, 760, 900, 1180, 1440, 1600})
    void page_ofAnyWidth_fitsIntoIt(int width, Tab tab) throws Exception {
        tab.resize(width, 800, 1);
        launcher.play(full());
        tab.open(launcher.address("/"));

        await(() -> assertFits(width, tab)); // the drawings follow the width
    }

    private static void assertFits(int width, Tab tab) throws Exception {
        assertThat(tab.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
        assertThat(tab.text("[...document.querySelectorAll('.panel *')].filter((e) => !e.closest('.scroll, svg,"
                        + " .unseen, pre, .lane-name') && e.scrollWidth > e.clientWidth + 1 &&"
                        + " getComputedStyle(e).display !== 'inline').map((e) => e.className)"))
                .as("what is wider than its place")
                .isEmpty();
    }

    @Test
    void structure_ofThePage_hasHeadingsNamesAndALanguage(Tab tab) throws Exception {
        tab.open(launcher.address("/"));

        assertThat(tab.text("document.documentElement.lang")).isEqualTo("en");
        assertThat(tab.number("document.querySelectorAll('h1').length")).isEqualTo(1);
        assertThat(tab.text("[...document.querySelectorAll('section')].filter((s) =>"
                        + " !document.getElementById(s.getAttribute('aria-labelledby'))?.textContent).length"))
                .isEqualTo("0");
        assertThat(tab.number(
                        "[...document.querySelectorAll('svg')].filter((s) => s.getAttribute('aria-hidden') !== 'true'"
                                + " && !(s.getAttribute('role') === 'img' && s.getAttribute('aria-label'))).length"))
                .isZero();
    }
}
