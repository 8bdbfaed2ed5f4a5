// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;

import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NeedsBrowser
class NodesPanelTest {

    private static final String SECOND = "#nodes li:nth-child(2)";

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    @Test
    void nodes_thatVote_areShownWithAddressAndProcess(Tab tab) throws Exception {
        tab.open(launcher.address("/"));

        assertThat(tab.number("document.querySelectorAll('#nodes li').length")).isEqualTo(5);
        assertThat(tab.seen(SECOND)).isEqualTo("Node 1 127.0.0.1:41002 votes process 4712 Pause Flush Kill");
        assertThat(tab.seen("#quorum")).isEqualTo("5 of 5 vote, 3 must: locks can be taken.");
    }

    @ParameterizedTest
    @CsvSource({"VOTING,votes,good", "QUARANTINE,quarantine,warn", "UNREACHABLE,unreachable,bad", "REFUSED,refused,bad"
    })
    void node_inEachState_isShownWithWordShapeAndReason(String state, String word, String tone, Tab tab)
            throws Exception {
        launcher.play(Played.calm().with("/nodes/1/state", state).with("/nodes/1/reason", "the reason of " + state));

        tab.open(launcher.address("/"));

        assertThat(tab.seen(SECOND + " .chip")).isEqualTo(word);
        assertThat(tab.text("document.querySelector('" + SECOND + " .chip').dataset.tone"))
                .isEqualTo(tone);
        assertThat(tab.seen(SECOND + " .why")).isEqualTo("The reason of " + state);
    }

    @Test
    void states_allFour_haveFourShapes(Tab tab) throws Exception {
        launcher.play(Played.calm()
                .with("/nodes/1/state", "QUARANTINE")
                .with("/nodes/2/state", "UNREACHABLE")
                .with("/nodes/3/state", "REFUSED"));

        tab.open(launcher.address("/"));

        assertThat(tab.text("[...document.querySelectorAll('#nodes .chip use')].map(u => u.getAttribute('href'))"))
                .isEqualTo("#i-good,#i-wait,#i-bad,#i-off,#i-good");
    }

    @ParameterizedTest
    @CsvSource({
        "RUNNING,process 4712,Pause Flush Kill",
        "PAUSED,process 4712 paused,Resume Flush Kill",
        "STOPPED,process 4712 stopped,Start Flush Kill",
        "STARTING,process 4712 starting,Pause Flush Kill"
    })
    void process_inEachState_isShownWithWhatCanBeDone(String process, String text, String buttons, Tab tab)
            throws Exception {
        launcher.play(Played.calm().with("/nodes/1/process", process));

        tab.open(launcher.address("/"));

        assertThat(tab.seen(SECOND + " .state")).isEqualTo("votes " + text);
        assertThat(tab.seen(SECOND + " .buttons")).isEqualTo(buttons);
    }

    @Test
    void quarantine_withAnEnd_countsDownToIt(Tab tab) throws Exception {
        Played quarantine = Played.calm().quarantined(1, 58_000);
        launcher.play(quarantine);
        tab.open(launcher.address("/"));
        assertThat(tab.seen(SECOND + " .until")).matches("votes again in 5[78] s");

        launcher.play(quarantine.at(quarantine.now() + 50_000));

        await(() -> assertThat(tab.seen(SECOND + " .until")).matches("votes again in [78] s"));
    }

    @Test
    void quorum_thatIsLost_isShownAsSuch(Tab tab) throws Exception {
        launcher.play(Played.calm().killed(0).killed(1).killed(2));

        tab.open(launcher.address("/"));

        assertThat(tab.seen("#quorum")).isEqualTo("2 of 5 vote, 3 must: no lock can be taken.");
        assertThat(tab.text("document.querySelector('#quorum').dataset.tone")).isEqualTo("bad");
        assertThat(tab.number("document.querySelectorAll('.votes [data-votes=true]').length"))
                .isEqualTo(2);
    }

    @Test
    void state_thatIsUnknown_isShownAsItsName(Tab tab) throws Exception {
        launcher.play(Played.calm().with("/nodes/1/state", "SURPRISED").with("/nodes/1/process", "DREAMING"));

        tab.open(launcher.address("/"));

        assertThat(tab.seen(SECOND + " .state")).isEqualTo("surprised process 4712 DREAMING");
    }
}
