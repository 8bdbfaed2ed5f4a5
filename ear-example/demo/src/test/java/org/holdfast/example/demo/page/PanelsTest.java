// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;

import jakarta.json.Json;
import java.util.List;
import java.util.Map;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NeedsBrowser
class PanelsTest {

    private static final String LOCKED = "#runs article:nth-child(1)";
    private static final String UNLOCKED = "#runs article:nth-child(2)";

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
    void orders_notRunYet_showNoNumbers(Tab tab) throws Exception {
        open(tab, Played.calm());

        assertThat(tab.seen(LOCKED + " .chip")).isEqualTo("not run yet");
        assertThat(tab.seen(LOCKED + " .result")).isEqualTo("– units oversold");
        assertThat(tab.seen(LOCKED + " .facts")).isEqualTo("sold – sold out – failed – in stock – time –");
    }

    @Test
    void orders_running_showProgressAndNoVerdict(Tab tab) throws Exception {
        open(tab, Played.calm().running("locked", 120, 60, 40));

        assertThat(tab.seen(LOCKED + " .chip")).isEqualTo("running");
        assertThat(tab.seen(LOCKED + " .result")).isEqualTo("– units oversold");
        assertThat(tab.seen(LOCKED + " .progress"))
                .isEqualTo("120 of 300 orders, 32 at a time, 100 units in stock at first");
        assertThat(tab.number("document.querySelector('" + LOCKED + " progress').position * 100"))
                .isEqualTo(40);
    }

    @Test
    void orders_underTheLock_endWithNoneOversold(Tab tab) throws Exception {
        open(tab, Played.calm().done("locked", 100, 0, 1840));

        assertThat(tab.seen(LOCKED + " .chip")).isEqualTo("done");
        assertThat(tab.seen(LOCKED + " .result")).isEqualTo("0 units oversold");
        assertThat(tab.seen(LOCKED + " .facts")).isEqualTo("sold 100 sold out 200 failed 0 in stock 0 time 1.8 s");
        assertThat(tab.text("document.querySelector('" + LOCKED + " .result').dataset.tone"))
                .isEqualTo("good");
    }

    @Test
    void orders_thatOversold_areRedWithASignAndAWord(Tab tab) throws Exception {
        open(tab, Played.calm().done("unlocked", 137, 0, 760));

        assertThat(tab.seen(UNLOCKED + " .result")).isEqualTo("37 units oversold");
        assertThat(tab.seen(UNLOCKED + " .bar .note")).isEqualTo("37 were not there");
        assertThat(tab.text("document.querySelector('" + UNLOCKED + " .result use').getAttribute('href')"))
                .isEqualTo("#i-warn");
        assertThat(tab.text("getComputedStyle(document.querySelector('" + UNLOCKED + " .figure')).color"))
                .isEqualTo("rgb(179, 35, 27)");
        String width = "document.querySelector('" + UNLOCKED + " .over').getBoundingClientRect().width";
        await(() -> assertThat(tab.number(width)).isPositive()); // it grows
    }

    @Test
    void orders_withAProblem_showIt(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .done("locked", 12, 88, 5000)
                        .with("/runs/locked/failed", 288)
                        .with("/runs/locked/problem", "288 orders failed: needs the votes of 3 of 5 nodes, got 2"));

        assertThat(tab.seen(LOCKED + " .problem")).startsWith("288 orders failed");
        assertThat(tab.is("document.querySelector('" + UNLOCKED + " .problem').hidden"))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "STARTING,starting,Freeze Kill",
        "RUNNING,running,Freeze Kill",
        "FROZEN,frozen,Thaw Kill",
        "STOPPED,stopped,Start Kill"
    })
    void server_inEachState_isShownWithWhatCanBeDone(String process, String word, String buttons, Tab tab)
            throws Exception {
        open(tab, Played.calm().with("/servers/0/process", process));

        String first = "#servers li:nth-child(1)";
        assertThat(tab.seen(first + " .state")).isEqualTo(word + " process 4800");
        assertThat(tab.seen(first + " .buttons")).isEqualTo(buttons);
        assertThat(tab.seen(first + " .facts")).isEqualTo("held 0 waiting 0 p50 0.6 ms p99 2.1 ms orders/s 0");
    }

    @Test
    void server_thatDoesNotAnswer_showsDashes(Tab tab) throws Exception {
        Played state = Played.calm();
        for (String name : List.of("held", "waiting", "p50Millis", "p99Millis", "ordersPerSecond", "pid")) {
            state = state.with("/servers/0/" + name, null);
        }
        open(tab, state);

        assertThat(tab.seen("#servers li:nth-child(1) .facts")).isEqualTo("held – waiting – p50 – p99 – orders/s –");
    }

    @Test
    void lock_thatIsFree_hasNoHolder(Tab tab) throws Exception {
        open(tab, Played.calm());

        assertThat(tab.seen("#lock"))
                .isEqualTo("stock-lamp free held by no holder token – granted by – waiting 0 remaining validity –");
    }

    @Test
    void lock_thatAnotherProcessHolds_isShownSo(Tab tab) throws Exception {
        open(tab, Played.calm().held(1, Played.TOKEN, 4000, 14).with("/lock/holder/server", null));

        assertThat(tab.seen("#lock .holder")).startsWith("held by another process token");
    }

    @Test
    void lock_thatIsHeld_runsDown(Tab tab) throws Exception {
        open(tab, Played.calm().held(1, Played.TOKEN, 4000, 14));

        assertThat(tab.seen("#lock .holder"))
                .isEqualTo("held by WildFly B token 1795497202411625 granted by 5 nodes waiting 14");
        await(() -> assertThat(tab.seen("#lock .left")).matches("[0-4]\\.[0-9] s of 5\\.0 s"));
        int before = tab.number("document.querySelector('#lock .part').getBoundingClientRect().width");
        await(() -> assertThat(tab.number("document.querySelector('#lock .part').getBoundingClientRect().width"))
                .isLessThan(before));
    }

    @Test
    void job_withRuns_showsEachServer(Tab tab) throws Exception {
        open(tab, Played.calm().job(3));

        assertThat(tab.text("[...document.querySelectorAll('#job tbody tr')].map(r => r.textContent).join('; ')"))
                .isEqualTo("WildFly Aranranskipped; WildFly Bskippedskippedran");
        assertThat(tab.seen("#job"))
                .containsPattern("Every 10 s\\. Next run in [0-6] s\\.")
                .contains("Last run: WildFly B ran it, WildFly A skipped it.");
    }

    @Test
    void job_thatAServerDidNotSee_isNeitherRunNorSkipped(Tab tab) throws Exception {
        open(tab, Played.calm().job(1).with("/job/runs/0/skippedBy", List.of()));

        assertThat(tab.text("document.querySelector('#job tbody tr:nth-child(2) td').textContent"))
                .isEqualTo("not seen");
    }

    @ParameterizedTest
    @CsvSource({
        "RUNNING,running,warn",
        "REFUSED,refused by the row,good",
        "ACCEPTED,accepted: the row took a stale write,bad",
        "FAILED,did not run to its end,warn"
    })
    void staleWriter_inEachState_isShownStepByStep(String state, String word, String tone, Tab tab) throws Exception {
        open(tab, Played.calm().staleWriter(state, "A is frozen.", "B writes.", "A writes."));

        assertThat(tab.seen("#stale .outcome")).isEqualTo(word);
        assertThat(tab.text("document.querySelector('#stale .chip').dataset.tone"))
                .isEqualTo(tone);
        assertThat(tab.text("[...document.querySelectorAll('#stale .steps .foreign')].map(s => s.textContent)"))
                .isEqualTo("A is frozen.,B writes.,A writes.");
        assertThat(tab.seen("#stale .compare")).isEqualTo("<");
    }

    @Test
    void staleWriter_notRunYet_showsWhatWillHappen(Tab tab) throws Exception {
        open(tab, Played.calm());

        assertThat(tab.seen("#stale .outcome")).isEqualTo("not run yet");
        assertThat(tab.seen("#stale .steps"))
                .startsWith("One server takes the lock")
                .endsWith("smaller than the last one.");
        assertThat(tab.seen("#stale .tokens-compared")).isEqualTo("token of the writer – … largest token in the row –");
    }

    @Test
    void staleWriter_withoutSteps_showsItsOneStep(Tab tab) throws Exception {
        open(tab, Played.calm().with("/staleWriter/state", "RUNNING").with("/staleWriter/step", "A is frozen."));

        assertThat(tab.text("document.querySelector('#stale .steps').innerText"))
                .contains("A is frozen.");
    }

    @Test
    void events_ofEachLevel_areShownNewestFirst(Tab tab) throws Exception {
        open(
                tab,
                Played.calm()
                        .event(1000, "JOB", "INFO", "WildFly A ran the job")
                        .event(61_000, "NODE", "WARN", "node 2 was killed")
                        .event(81_000, "LOAD", "BAD", "37 units oversold"));

        assertThat(tab.text("[...document.querySelectorAll('.log li')].map(e => e.textContent).join('; ')"))
                .isEqualTo("1:21ordersbad: 37 units oversold; 1:01nodewarning: node 2 was killed; 0:01jobWildFly A ran"
                        + " the job");
    }

    @Test
    void demo_withOneServer_hasOneLaneAndOneRow(Tab tab) throws Exception {
        Played one = Played.calm().leases(20, 500).job(2);
        open(
                tab,
                new Played(Json.createPointer("/servers/1").remove(one.json()))
                        .with("/leases", List.of(Played.lease(0, 5, 80_000, 80_010.0))));

        assertThat(tab.number("document.querySelectorAll('#servers li').length"))
                .isEqualTo(1);
        assertThat(tab.number("document.querySelectorAll('#job tbody tr').length"))
                .isEqualTo(1);
        assertThat(tab.number("document.querySelectorAll('#leases .plot .lease').length"))
                .isEqualTo(1);
    }

    @Test
    void state_thatLacksWhatIsNotThereYet_isShown(Tab tab) throws Exception {
        Played state = new Played(
                jakarta.json.Json.createObjectBuilder(Map.of("now", 5)).build());

        open(tab, state);

        assertThat(tab.seen("#link")).isEqualTo("live");
    }
}
