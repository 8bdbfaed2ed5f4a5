// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;
import static org.holdfast.example.demo.browser.Tab.quoted;

import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.holdfast.example.demo.web.ActionResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NeedsBrowser
class ButtonsTest {

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    private static String named(String name) {
        return "button[aria-label=" + quoted(name) + "]";
    }

    @ParameterizedTest
    @CsvSource({
        "/nodes/2/process,RUNNING,Kill node 2,nodes/2/kill",
        "/nodes/2/process,RUNNING,Pause node 2,nodes/2/pause",
        "/nodes/2/process,PAUSED,Resume node 2,nodes/2/resume",
        "/nodes/2/process,PAUSED,Kill node 2,nodes/2/kill",
        "/nodes/2/process,RUNNING,Flush node 2,nodes/2/flush",
        "/nodes/2/process,STOPPED,Start node 2,nodes/2/start",
        "/servers/1/process,RUNNING,Freeze WildFly B,servers/1/freeze",
        "/servers/1/process,FROZEN,Thaw WildFly B,servers/1/thaw",
        "/servers/1/process,FROZEN,Kill WildFly B,servers/1/kill",
        "/servers/1/process,RUNNING,Kill WildFly B,servers/1/kill",
        "/servers/1/process,STOPPED,Start WildFly B,servers/1/start",
        "/now,81234,Run both,load/both",
        "/now,81234,Run with the lock,load/locked",
        "/now,81234,Run without the lock,load/unlocked",
        "/now,81234,Run the stale writer,stale-writer"
    })
    void button_whenPressed_asksForItsAction(String pointer, String value, String name, String action, Tab tab)
            throws Exception {
        launcher.play(pointer.equals("/now") ? Played.calm() : Played.calm().with(pointer, value));
        tab.open(launcher.address("/"));

        tab.click(named(name));

        await(() -> assertThat(launcher.actions()).containsExactly(action));
        await(() -> assertThat(tab.text("document.body.innerText")).contains(name + ": begun."));
    }

    @Test
    void action_thatIsRefused_isAnsweredWithTheReason(Tab tab) throws Exception {
        launcher.answer(new ActionResult.Refused("node 2 is the last one that runs"));
        tab.open(launcher.address("/"));

        tab.click(named("Kill node 2"));

        await(() -> assertThat(tab.seen("#nodes-notice"))
                .isEqualTo("Kill node 2: refused. Node 2 is the last one that runs"));
        assertThat(tab.text("document.querySelector('#nodes-notice').dataset.tone"))
                .isEqualTo("warn");
        assertThat(tab.text("document.querySelector('#nodes-notice').getAttribute('role')"))
                .isEqualTo("status");
        tab.forgetComplaints(); // the browser notes each answer of 409
    }

    @Test
    void button_thatCannotBeUsedNow_saysWhyAndSendsNothing(Tab tab) throws Exception {
        launcher.play(Played.calm().killed(2));
        tab.open(launcher.address("/"));

        tab.click(named("Flush node 2"));

        await(() -> assertThat(tab.seen("#nodes-notice")).isEqualTo("Node 2 is stopped."));
        assertThat(tab.text("document.querySelector('" + named("Flush node 2") + "').getAttribute('aria-disabled')"))
                .isEqualTo("true");
        assertThat(launcher.actions()).isEmpty();
    }

    @Test
    void button_pressedTwiceAtOnce_asksOnce(Tab tab) throws Exception {
        tab.open(launcher.address("/"));

        tab.click(named("Pause node 0"));
        launcher.play(Played.calm().with("/nodes/0/process", "PAUSED"));
        tab.click("#nodes li:first-child button");

        await(() -> assertThat(tab.is("document.querySelector('" + named("Resume node 0") + "') !== null"))
                .isTrue());
        assertThat(launcher.actions()).containsExactly("nodes/0/pause");
    }

    @Test
    void launcher_thatHasEnded_isReportedAsNotAnswering(Tab tab) throws Exception {
        tab.open(launcher.address("/"));
        launcher.end();

        tab.click(named("Run both"));

        await(() -> assertThat(tab.seen("#load-notice")).contains("The launcher did not answer."));
        tab.forgetComplaints();
    }

    @ParameterizedTest
    @CsvSource({"/operate,false,false", "/,true,false", "/,false,true"})
    void page_thatIsReadOnly_hasNoButtons(String path, boolean launcherIs, boolean stateIs, Tab tab) throws Exception {
        try (PlayedLauncher readOnly = new PlayedLauncher(launcherIs)) {
            readOnly.play(Played.calm().with("/readOnly", stateIs));
            tab.open(readOnly.address(path));

            assertThat(tab.number("document.querySelectorAll('button, input, select').length"))
                    .isZero();
            assertThat(tab.is("document.getElementById('tries').hidden")).isTrue();
            assertThat(tab.seen("#read-only")).isEqualTo("read only");
            assertThat(tab.number("document.querySelectorAll('#nodes li').length"))
                    .isEqualTo(5);
            tab.evaluate("location.href = 'about:blank'");
        }
    }
}
