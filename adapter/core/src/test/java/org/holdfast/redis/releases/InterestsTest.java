// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.releases;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class InterestsTest {

    private final Interests interests = new Interests(3);

    private void confirmByAll(String name) {
        interests.add(name);
        for (int node = 0; node < 3; node++) {
            interests.confirmed(node, name);
        }
    }

    /** Its waiter would go on to rely on reports that do not come. */
    @Test
    void lock_thatTooFewNodesReport_isNamedOnceWhenThatBegins() {
        confirmByAll("a");
        assertThat(interests.disconnected(0)).as("two are enough").isEmpty();
        assertThat(interests.disconnected(1)).containsExactly("a");
        assertThat(interests.disconnected(2)).as("it was named before").isEmpty();
        assertThat(interests.isHeard("a")).isFalse();
    }

    /** The thread that listened has ended: no waiter may rely on it. */
    @Test
    void locks_ofAThreadThatEnded_areHeardNoMore_andListenedForAnew() {
        confirmByAll("a");
        Set<String> wanted = interests.wanted(Set.of());
        interests.unheard();
        assertThat(interests.isHeard("a")).isFalse();
        assertThat(interests.wanted(wanted)).isNotSameAs(wanted).containsExactly("a");
    }

    @Test
    void lock_thatANodeStopsToReport_isNamedIfTooFewAreLeft() {
        confirmByAll("a");
        assertThat(interests.ended(2, "a")).isFalse();
        assertThat(interests.ended(2, "a")).isFalse();
        assertThat(interests.ended(1, "a")).isTrue();
        assertThat(interests.ended(0, "a")).isFalse();
        assertThat(interests.ended(0, "b")).as("no caller waits for it").isFalse();
    }

    @Test
    void lock_thatEnoughNodesReportAgain_isNamedByTheOneThatMakesThemEnough() {
        confirmByAll("a");
        interests.disconnected(0);
        interests.disconnected(1);
        assertThat(interests.confirmed(1, "a")).isTrue();
        assertThat(interests.confirmed(0, "a")).isFalse();
        assertThat(interests.isHeard("a")).isTrue();
    }
}
