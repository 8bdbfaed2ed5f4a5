// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@NeedsBrowser
class HostileTextTest {

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    static String[] texts() {
        return new String[] {
            "<script>window.hacked = 1</script>",
            "<img src=x onerror='window.hacked = 1'>",
            "javascript:window.hacked=1",
            "\"><svg onload=window.hacked=1>",
            "</span></p></main><h1>taken over</h1>",
            "long".repeat(5000),
            "\u202Egnorw si siht\u202E \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
            "{{7*7}} ${window.hacked = 1} &lt;b&gt; %3Cscript%3E\u0000\u0007\n\n"
        };
    }

    static Played filledWith(String text) {
        return Played.calm()
                .killed(1)
                .with("/nodes/1/address", text)
                .with("/nodes/1/reason", text)
                .with("/nodes/2/state", text)
                .with("/nodes/2/process", text)
                .with("/servers/0/name", text)
                .with("/servers/0/url", text)
                .with("/servers/1/process", text)
                .held(0, Played.TOKEN, 4000, 1)
                .with("/lock/name", text)
                .leases(20, 500)
                .job(12)
                .done("locked", 10, 90, 100)
                .with("/runs/locked/problem", text)
                .with("/runs/unlocked/state", text)
                .staleWriter("REFUSED", text, text)
                .event(1000, text, text, text);
    }

    @ParameterizedTest
    @MethodSource("texts")
    void text_thatIsHostile_isShownAsText(String text, Tab tab) throws Exception {
        tab.resize(360, 800, 1);
        launcher.play(Played.calm());
        tab.open(launcher.address("/"));
        String elements = "document.querySelectorAll('script, img, iframe, h1, [onload], [onerror]').length";
        int before = tab.number(elements);

        launcher.play(filledWith(text));
        tab.open(launcher.address("/operate"));
        tab.open(launcher.address("/"));

        assertThat(tab.is("window.hacked === undefined")).isTrue();
        assertThat(tab.number(elements)).isEqualTo(before);
        assertThat(tab.is("[...document.querySelectorAll('a')].every((a) => !a.hasAttribute('href') ||"
                        + " a.protocol === 'http:')"))
                .isTrue();
        assertThat(tab.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
        String shown = tab.text("document.querySelector('.log li .foreign').textContent");
        assertThat(text).startsWith(shown.replace("…", "")).isNotEmpty();
        assertThat(shown.length()).isLessThanOrEqualTo(301);
        assertThat(tab.text("getComputedStyle(document.querySelector('.log li .foreign')).unicodeBidi"))
                .isEqualTo("isolate");
    }
}
