// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

/** Settings that all processes must share, as the guard finds them in the mark of a node. */
class GuardSettingsTest extends GuardedNode {

    @Test
    void process_withOtherSettings_doesNotSetTheirs_whenTheMarkIsLost() {
        voteAfterQuarantine();
        guard = guard(new AcceptedSettings(LONG), false);
        refusal();
        node.mark = "";
        node.heartbeatUntil = 0;
        assertThat(refusal()).contains("maxLeaseTtlMillis=10000");
        assertThat(node.mark).isEmpty();
        pass(Duration.ofSeconds(11)); // no lock of the others is left, nor a process that would have set the mark
        assertThat(admitted().reason()).contains("no birth mark");
    }

    /** As a primary is that was added to a cluster: the process was refused at the others. */
    @Test
    void process_withOtherSettings_doesNotSetTheirs_onANodeThatIsNew() {
        AcceptedSettings.OfOthers seen = othersSeenBefore(time);
        seen.saw(new AcceptedSettings(SHORT), time.nanoTime());
        others = seen;
        guard = guard(new AcceptedSettings(LONG), false);
        assertThat(refusal()).contains("maxLeaseTtlMillis=10000");
        assertThat(node.mark).isEmpty();
        pass(Duration.ofSeconds(11)); // no lock of the others is left, nor a process that would have set the mark
        assertThat(admitted().reason()).contains("no birth mark");
    }

    @Test
    void settings_thatDiffer_areRefused_andBothAreSaid() {
        voteAfterQuarantine();
        String before = node.mark;
        guard = guard(new AcceptedSettings(LONG), false);
        assertThat(refusal()).contains("maxLeaseTtlMillis=10000").contains("maxLeaseTtlMillis=60000");
        assertThat(node.mark).isEqualTo(before);
    }

    @Test
    void settings_thatDiffer_areNotWritten_whereTheNodeIsRefusedToo() {
        voteAfterQuarantine();
        node.mayEvict = true;
        guard = guard(new AcceptedSettings(LONG), false);
        refusal();
        assertThat(node.parsed().acceptedSettings()).isEqualTo(new AcceptedSettings(SHORT));
    }

    @Test
    void settings_areChanged_inTwoSteps_whileProcessesRun() {
        voteAfterQuarantine();
        NodeGuard old = guard;
        NodeGuard between = guard(new AcceptedSettings(LONG, Optional.of(SHORT)), false);
        guard = between;
        admitted();
        assertThat(node.parsed().acceptedSettings()).isEqualTo(new AcceptedSettings(LONG, Optional.of(SHORT)));
        guard = old;
        assertVotes();
        NodeGuard done = guard(new AcceptedSettings(LONG), false);
        guard = done;
        assertThat(refusal())
                .as("while a process looks that does not know them")
                .contains("maxLeaseTtlMillis=10000");
        guard = between;
        watch(Duration.ofSeconds(16));
        guard = done;
        admitted();
        assertThat(node.parsed().acceptedSettings()).isEqualTo(new AcceptedSettings(LONG));
        guard = between;
        admitted();
        assertThat(node.parsed().acceptedSettings()).isEqualTo(new AcceptedSettings(LONG));
        guard = old;
        assertThat(refusal()).contains("maxLeaseTtlMillis=60000");
    }

    /** There may be processes that know the old settings only, and have not looked since. */
    @Test
    void settings_whoseChangeHasJustBegun_areNotChangedYet() {
        voteAfterQuarantine();
        guard = guard(new AcceptedSettings(LONG, Optional.of(SHORT)), false);
        admitted();
        guard = guard(new AcceptedSettings(LONG), false);
        assertThat(refusal()).contains("maxLeaseTtlMillis=10000");
    }

    /** Others look more often, so that its own look is never due: the change must wait for it all the same. */
    @Test
    void process_thatKnowsTheOldSettingsOnly_isNotedTwiceASecond_howeverOftenOthersLook() {
        voteAfterQuarantine();
        NodeGuard old = guard;
        NodeGuard between = guard(new AcceptedSettings(LONG, Optional.of(SHORT)), false);
        between.admit(node);
        int writes = node.writes;
        for (int i = 0; i < 200; i++) {
            pass(Duration.ofMillis(50));
            between.admit(node);
            pass(Duration.ofMillis(50));
            old.admit(node);
            assertThat(node.now - node.parsed().outdatedMicros()).isLessThanOrEqualTo(6 * SECOND / 10);
        }
        assertThat(node.writes - writes).as("in 20 s").isLessThanOrEqualTo(2 * 40);
    }

    /** Locks of the processes that know the old value only must outlast it. */
    @Test
    void heartbeat_whileALongerTtlIsRolledOut_lastsAsBefore() {
        voteAfterQuarantine();
        guard = guard(new AcceptedSettings(LONG, Optional.of(SHORT)), false);
        admitted();
        assertThat(node.heartbeatUntil - node.now).isEqualTo(SHORT.heartbeat().toNanos() / 1_000);
        pass(SHORT.heartbeat());
        assertThat(admitted().reason()).as("it has ended by itself").isEmpty();
    }

    @Test
    void settings_whoseChangeWasGivenUp_stayThoseOfTheProcessesThatGoOn() {
        voteAfterQuarantine();
        NodeGuard old = guard;
        guard = guard(new AcceptedSettings(LONG, Optional.of(SHORT)), false);
        admitted(); // and stops
        guard = old;
        watch(Duration.ofSeconds(30));
        NodeGuard other = guard(new AcceptedSettings(LONG), false);
        guard = other;
        refusal();
        guard = old;
        assertVotes();
    }

    @Test
    void settings_ofADeploymentThatStopped_areReplaced_whenItsLocksAreOver() {
        voteAfterQuarantine();
        guard = guard(new AcceptedSettings(LONG), false);
        pass(Duration.ofSeconds(15)); // a lease may have been granted some seconds after the last look
        refusal();
        pass(Duration.ofSeconds(1));
        assertThat(admitted().reason()).isEmpty();
        assertThat(node.parsed().acceptedSettings()).isEqualTo(new AcceptedSettings(LONG));
    }

    @Test
    void settings_withALongerRetention_replaceOthers_whenClocksCannotMatterAnyMore() {
        voteAfterQuarantine();
        guard = guard(new AcceptedSettings(new SharedSettings(10_000, 3_600_000, 0.01)), false);
        pass(Duration.ofMinutes(30));
        refusal();
        pass(Duration.ofMinutes(31));
        admitted();
    }
}
