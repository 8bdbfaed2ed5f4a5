// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/**
 * A process was away while the clock was set back, and comes back when the clock shows a later moment than it had seen
 * last. It takes what the clock had shown before for a watch over the same moments, which the clock has shown again.
 */
class UnwatchedGapTest extends NodeWithWatchers {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();

    /** It sees the set-back as it comes back, but not by the moment alone. */
    @Test
    void nodeInQuarantine_whoseClockWasSetBackAndGoesAhead_grantsNothingToAClientThatWasAwayForLonger()
            throws Exception {
        Client away = watched(new Client());
        Client watcher = watched(new Client());
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(25));
            away.monitor();
        }
        setAhead(Duration.ofSeconds(-200)); // for good
        watch(watcher, 130); // for two quarantines
        assertThat(mark()).doesNotContain(":");
        long grantedAt = grant();
        restart();
        watch(watcher, 1); // dies
        setAhead(Duration.ofSeconds(-160)); // by less than a quarantine
        pass(Duration.ofSeconds(28));

        assertGrantsNothingInTime(away, grantedAt);
    }

    /** The holder is cut off from this node since. */
    private long grant() {
        assertThat(new Client().send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL))))
                .isEqualTo(GRANTED);
        return passed.toMillis();
    }

    private void restart() throws Exception {
        node.command("FLUSHALL");
        process = new BirthMark.Process("2".repeat(40), 0, process.promotion(), process.loaded());
    }

    private void assertGrantsNothingInTime(Client client, long grantedAt) {
        Reply reply = null;
        while (!GRANTED.equals(reply) && passed.toMillis() - grantedAt < 58_000) {
            watch(client, 1);
            reply = client.send(acquire(claim(ALONE, BOB, 19)));
        }
        assertThat(reply)
                .as("%d ms after the grant; %s", passed.toMillis() - grantedAt, mark())
                .isNotEqualTo(GRANTED);
    }
}
