// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.example.demo.browser.Tab.await;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.example.demo.browser.NeedsBrowser;
import org.holdfast.example.demo.browser.Tab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsBrowser
class StreamTest {

    private PlayedLauncher launcher;

    @BeforeEach
    void start() throws Exception {
        launcher = new PlayedLauncher();
    }

    @AfterEach
    void stop() {
        launcher.close();
    }

    private static String link(Tab tab) throws Exception {
        return tab.seen("#link") + " / " + tab.text("document.body.dataset.link");
    }

    @Test
    void stream_thatEnds_isShownAndComesBack(Tab tab) throws Exception {
        tab.open(launcher.address("/"));
        await(() -> assertThat(link(tab)).isEqualTo("live / open"));

        launcher.end();
        await(() -> assertThat(link(tab)).matches("connection lost, retrying, what you see is \\d+ s old / lost"));
        assertThat(tab.text("getComputedStyle(document.querySelector('main')).filter"))
                .isEqualTo("grayscale(1)");
        await(() -> assertThat(tab.seen("#announcements")).startsWith("connection lost"));

        launcher.begin();
        launcher.play(Played.calm().killed(1));
        await(() -> assertThat(link(tab)).isEqualTo("live / open"));
        assertThat(tab.seen("#nodes")).contains("unreachable");
        await(() -> assertThat(tab.seen("#announcements")).contains("Connected again."));
        tab.forgetComplaints();
    }

    @Test
    void launcher_thatSendsNothing_isShownAsSilent(Tab tab) throws Exception {
        launcher.play(Played.calm().held(0, Played.TOKEN, 60_000, 1).with("/lock/holder/ttlMillis", 60_000));
        tab.open(launcher.address("/"));

        launcher.stall();

        await(() -> assertThat(link(tab)).matches("no news, what you see is [4-9] s old / silent"));
        String left = tab.seen("#lock .left");
        tab.click("button[aria-label='Run both']");
        await(() -> assertThat(tab.seen("#load-notice")).isEqualTo("No connection to the launcher: nothing was sent."));
        await(() -> assertThat(link(tab)).matches("no news, what you see is ([6-9]|1\\d) s old / silent"));
        assertThat(tab.seen("#lock .left"))
                .as("what moves stands still when nothing comes")
                .isEqualTo(left);
        assertThat(launcher.actions()).isEmpty();
    }

    @Test
    void state_thatCannotBeRead_isShownAndTheNextOneIs(Tab tab) throws Exception {
        tab.open(launcher.address("/"));

        launcher.play(Played.calm().with("/nodes", 5));
        await(() -> assertThat(link(tab)).isEqualTo("the launcher sent what this page cannot read / unreadable"));

        launcher.play(Played.calm());
        await(() -> assertThat(link(tab)).isEqualTo("live / open"));
        assertThat(tab.complaints()).isNotEmpty();
        tab.forgetComplaints();
    }

    @Test
    void launcher_withTooManyReaders_isTriedAgain(Tab tab) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(launcher.address("/events"))).build();
        List<InputStream> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            readers.add(client.send(request, HttpResponse.BodyHandlers.ofInputStream())
                    .body());
        }
        tab.begin(launcher.address("/"));
        await(() -> assertThat(link(tab)).isEqualTo("connection lost, retrying / lost"));

        for (InputStream reader : readers) {
            reader.close();
        }

        await(() -> assertThat(link(tab)).isEqualTo("live / open"));
        tab.forgetComplaints();
    }

    @Test
    void tab_thatIsHidden_givesItsStreamBack(Tab tab) throws Exception {
        tab.open(launcher.address("/"));

        tab.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
                + " document.dispatchEvent(new Event('visibilitychange'))");
        launcher.play(Played.calm().killed(1));
        // No stream is there: the state is not shown, however often it is sent.
        await(() -> assertThat(tab.text("document.body.dataset.link")).isEqualTo("silent"));
        assertThat(tab.seen("#nodes")).doesNotContain("unreachable");

        tab.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
        await(() -> assertThat(tab.seen("#nodes")).contains("unreachable"));
        assertThat(link(tab)).isEqualTo("live / open");
        assertThat(tab.requests().stream().filter(address -> address.endsWith("/events")))
                .hasSize(2);
    }
}
