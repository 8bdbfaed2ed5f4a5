// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;

import java.util.List;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsBrowser
class LeasesPanelTest {

    private static final String OVERVIEW = "#leases .plot .lease";

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    private void open(Tab tab, Played state) throws Exception {
        launcher.play(state);
        tab.open(launcher.address("/"));
    }

    @Test
    void leases_none_areSaidToBeNone(Tab tab) throws Exception {
        open(tab, Played.calm());

        assertThat(tab.seen("#verdict")).startsWith("No lease in the last 30 seconds.");
    }

    @Test
    void leases_oneAfterAnother_areFoundInOrder(Tab tab) throws Exception {
        open(tab, Played.calm().leases(300, 900));

        assertThat(tab.seen("#verdict"))
                .isEqualTo("300 leases: no two at the same time, every token larger than the one before.");
        assertThat(tab.number("document.querySelectorAll('" + OVERVIEW + "').length"))
                .as("one path for a server")
                .isEqualTo(2);
        assertThat(tab.number("(document.querySelector('" + OVERVIEW + "').getAttribute('d')"
                        + " + document.querySelectorAll('" + OVERVIEW + "')[1].getAttribute('d')).match(/M/g).length"))
                .isEqualTo(300);
    }

    @Test
    void leases_twoAtOnce_areReportedInRed(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .with(
                                "/leases",
                                List.of(Played.lease(0, 5, 80_000, 80_010.0), Played.lease(1, 6, 80_005, 80_020.0))));

        assertThat(tab.seen("#verdict"))
                .isEqualTo("2 leases: 1 began before another had ended, 0 tokens were not larger than the one before.");
        assertThat(tab.text("document.querySelector('#verdict').dataset.tone")).isEqualTo("bad");
    }

    @Test
    void leases_besideOneThatIsHeld_areReportedInRed(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .with(
                                "/leases",
                                List.of(Played.lease(0, 5, 80_000, null), Played.lease(1, 6, 80_005, 80_020.0))));

        assertThat(tab.seen("#verdict")).contains("1 began before another had ended");
    }

    @Test
    void tokens_thatFallOrRepeat_areReportedInRed(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .with(
                                "/leases",
                                List.of(
                                        Played.lease(0, 7, 80_000, 80_001.0),
                                        Played.lease(1, 6, 80_002, 80_003.0),
                                        Played.lease(0, 7, 80_004, 80_005.0))));

        assertThat(tab.seen("#verdict")).contains("2 tokens were not larger than the one before");
    }

    @Test
    void leases_thatTouch_areNotAnOverlap(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .with(
                                "/leases",
                                List.of(Played.lease(0, 5, 80_000, 80_005.0), Played.lease(1, 6, 80_005, 80_020.0))));

        assertThat(tab.seen("#verdict")).startsWith("2 leases: no two at the same time");
    }

    @Test
    void lanes_ofServers_showEachLeaseInItsOwn(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .with(
                                "/leases",
                                List.of(Played.lease(0, 5, 70_000, 71_000.0), Played.lease(1, 6, 75_000, 76_000.0))));

        String box = "document.querySelectorAll('" + OVERVIEW + "')[%d].getBoundingClientRect().%s";
        assertThat(tab.number(box.formatted(0, "bottom"))).isLessThanOrEqualTo(tab.number(box.formatted(1, "top")));
        assertThat(tab.number(box.formatted(0, "right"))).isLessThan(tab.number(box.formatted(1, "left")));
    }

    @Test
    void lease_thatIsHeld_reachesTheRightEdge(Tab tab) throws Exception {
        open(tab, Played.calm().with("/leases", List.of(Played.lease(0, 5, 80_000, null))));

        assertThat(tab.number("document.querySelector('" + OVERVIEW + "').getBoundingClientRect().right"))
                .isGreaterThanOrEqualTo(
                        tab.number("document.querySelector('#leases .plot').getBoundingClientRect().right"));
    }

    @Test
    void timeLine_whileTimeGoesOn_movesToTheLeft(Tab tab) throws Exception {
        Played state = Played.calm().with("/leases", List.of(Played.lease(0, 5, 80_000, 80_500.0)));
        open(tab, state);
        String left = "document.querySelector('" + OVERVIEW + "').getBoundingClientRect().left";
        int before = tab.number(left);

        launcher.play(state.at(state.now() + 10_000));

        await(() -> assertThat(tab.number(left)).isLessThan(before - 100));
    }

    @Test
    void numbers_whenOpened_areTheNewestLeases(Tab tab) throws Exception {
        Played state = Played.calm().leases(40, 900);
        open(tab, state);
        assertThat(tab.number("document.querySelectorAll('.numbers tbody tr').length"))
                .isZero();

        tab.click(".numbers summary");
        launcher.play(state.at(state.now() + 100));

        await(() -> assertThat(tab.number("document.querySelectorAll('.numbers tbody tr').length"))
                .isEqualTo(8));
        assertThat(tab.seen(".numbers tbody tr td:nth-child(3)")).startsWith("+");
    }
}
