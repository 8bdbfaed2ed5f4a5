// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.Test;

@NeedsBrowser
class BoundsTest {

    /** Stands in the place of the browser's class, so that states come as fast as the test makes them. */
    private static final String FED = """
        window.EventSource = class extends EventTarget {
          constructor() {
            super();
            window.feed = (state) => this.dispatchEvent(new MessageEvent('state', { data: JSON.stringify(state) }));
            queueMicrotask(() => feed(window.first));
          }
          close() {}
        };
        """;

    @Test
    void page_afterHalfAnHour_isAsSmallAsAfterThreeMinutes(Tab tab) throws Exception {
        try (PlayedLauncher launcher = new PlayedLauncher()) {
            tab.runFirst("window.first = " + Played.calm().json() + ";" + FED);
            tab.open(launcher.address("/"));
            tab.click(".numbers summary");

            tab.evaluate("window.playThreeMinutes = " + Scripts.read("half-an-hour.js"));
            List<Integer> sizes = new ArrayList<>();
            for (int minutes = 3; minutes <= 30; minutes += 3) {
                sizes.add(tab.number("playThreeMinutes()"));
            }

            assertThat(sizes).allMatch(size -> size < 2500);
            assertThat(sizes.get(9) - sizes.get(1)).as("growth").isLessThan(60);
        }
    }
}
