// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.protocol.guard.BirthMark;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** Quarantines that end too early, as a process takes time for watched that no process has watched. */
class UnwatchedClockTest extends NodeWithWatchers {

    private static final long LONGEST_TTL = OneNode.AGREEMENTS.widest().maxLeaseTtlMillis();

    /** The mark then says that the clock was watched until a moment that lies behind the end of the quarantine. */
    @Test
    void nodeWithoutItsMark_whoseClockGoesBackBeforeThatIsSetAndIsSetHalfRight_grantsNothingToANewClient()
            throws Exception {
        Client holder = watched(new Client());
        assertThat(holder.send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL)))).isEqualTo(GRANTED);
        long grantedAt = passed.toMillis();
        node.command("FLUSHALL"); // the holder is cut off from this node
        Client first = new Client();
        first.betweenLookAndWrite = () -> setAhead(Duration.ofSeconds(-100));
        first.inspect(); // dies
        setAhead(Duration.ofSeconds(-45)); // by less than a quarantine

        assertGrantsNothingInTime(new Client(), grantedAt);
    }

    /** The process knew the clock before that was set back: what it showed then is no watch over what it shows now. */
    @Test
    void nodeInQuarantine_whoseClockWasSetBackLongBeforeAndGoesAhead_grantsNothingToAClientThatWasAway()
            throws Exception {
        Client away = watched(new Client());
        Client watcher = watched(new Client());
        for (int i = 0; i < 20; i++) { // for longer than the clock is set back by
            pass(Duration.ofSeconds(25));
            away.monitor();
        }
        setAhead(Duration.ofSeconds(-300)); // for good
        watch(watcher, 140); // for two quarantines
        assertThat(mark()).doesNotContain(":");
        assertThat(new Client().send(acquire(claim(ALONE, ADA, 7, LONGEST_TTL))))
                .isEqualTo(GRANTED);
        long grantedAt = passed.toMillis();
        node.command("FLUSHALL"); // a restart, which the watcher sees; the holder is cut off from this node
        process = new BirthMark.Process("2".repeat(40), 0, process.promotion(), process.loaded());
        watch(watcher, 1); // dies
        setAhead(Duration.ofSeconds(-260)); // by less than a quarantine

        assertGrantsNothingInTime(away, grantedAt);
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
