// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.holdfast.LockMode;
import org.holdfast.protocol.ScriptedNotifications;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Randomness;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.ProcessInfo;
import org.junit.jupiter.api.Test;

class HandoffYieldTest {

    private static final long TOKEN = 64;

    private final VirtualTime time = new VirtualTime();
    private final ScriptedNotifications notifications = new ScriptedNotifications();
    private final HandoffYield handoffYield = new HandoffYield(time, random(), notifications, WakeUp.NONE);

    private static Randomness random() {
        return new Randomness() {
            @Override
            public String uniqueId() {
                return "";
            }

            @Override
            public long below(long bound) {
                return bound / 2;
            }
        };
    }

    /** Returns what is published when an owner with that token releases. */
    private static String owner(long token) {
        HolderInfo info = new HolderInfo(new ProcessInfo("other", 7), "thread", LockMode.EXCLUSIVE, token, 1);
        return new Owner("0".repeat(40)).describedAs(info.text()).value();
    }

    @Test
    void release_thatOthersWaitFor_letsThemGoFirstForAMoment() {
        handoffYield.released("a", TOKEN, 1);
        assertThat(handoffYield.nanosLeft("a")).isPositive();
        assertThat(handoffYield.nanosLeft("b")).isZero();
        time.pass(Duration.ofMillis(5).toNanos());
        assertThat(handoffYield.nanosLeft("a")).isNegative();
        handoffYield.sweep();
        assertThat(handoffYield.size()).isZero();
    }

    @Test
    void release_thatOnlyThisProcessHasHeard_letsNoneGoFirst() {
        notifications.heard = true;
        notifications.subscribe("a");
        handoffYield.released("a", TOKEN, 1);
        assertThat(handoffYield.nanosLeft("a")).isZero();
    }

    @Test
    void othersTurn_endsWhenOneOfThemHasHadTheLock() {
        handoffYield.released("a", TOKEN, 1);
        handoffYield.released("b", TOKEN, 1);
        handoffYield.heard("a", owner(TOKEN + 16));
        assertThat(handoffYield.nanosLeft("a")).isZero();
        assertThat(handoffYield.nanosLeft("b")).isPositive();
    }

    /** Of each node one comes, and some come late. */
    @Test
    void othersTurn_isNotEndedByOwnReleasesNorByEarlierOnes() {
        handoffYield.released("a", TOKEN, 1);
        handoffYield.heard("a", owner(TOKEN));
        handoffYield.heard("a", owner(TOKEN - 16));
        handoffYield.heard("a", "");
        handoffYield.heard("a", "latch");
        handoffYield.heard("a", "0".repeat(40));
        assertThat(handoffYield.nanosLeft("a")).isPositive();
    }
}
