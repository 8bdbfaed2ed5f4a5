// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.holdfast.CheckReport;
import org.holdfast.LogLines;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.redis.ClockByHand;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.address.VoterAddresses;
import org.junit.jupiter.api.Test;

class NodeHealthTest {

    private static final String LOG = NodeHealth.class.getName();

    private final List<String> heard = new ArrayList<>();
    private Runnable whenHeard = () -> {};
    private final VoterAddress address =
            VoterAddresses.parse("redis://a", "nodes", new ArrayList<>()).get(0);
    private final ClockByHand time = new ClockByHand();
    private final Recorder recorder = new Recorder() {
        @Override
        public void node(String node, String state, String reason) {
            heard.add(node + " " + state + " " + reason);
            Runnable once = whenHeard;
            whenHeard = () -> {};
            once.run();
        }
    };
    private final NodeLogLimiters logLimiters = new NodeLogLimiters(time);
    private final NodeHealth health = newHealth();

    /** Returns what a lock service knows of the node. */
    private NodeHealth newHealth() {
        return new NodeHealth(address, time, recorder, logLimiters.of(address).aside(), WakeUp.NONE);
    }

    private void passMillis(long millis) {
        time.pass(Duration.ofMillis(millis));
    }

    @Test
    void node_isUpUntilSomethingIsAgainstIt() {
        assertThat(health.isAsked()).isTrue();
        assertThat(health.nanosUntilLook()).isPositive();
        assertThat(health.claimLook()).isFalse();
        assertThat(health.reason()).isEqualTo("up");
    }

    @Test
    void report_ofANode_saysNothingGoodBeforeItWasLookedAt() {
        assertThat(health.report().state()).isEqualTo(CheckReport.State.UNUSABLE);
        assertThat(health.report().cause()).isEqualTo("not looked at yet");
        health.admitted(Admission.TRUSTED);
        assertThat(health.report())
                .isEqualTo(new CheckReport.Node("redis://a:6379", CheckReport.State.VOTES, "", Duration.ZERO));
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(3), "it was flushed"));
        assertThat(health.report().state()).isEqualTo(CheckReport.State.QUARANTINED);
        assertThat(health.report().quarantine()).isEqualTo(Duration.ofSeconds(3));
        health.failed("silence");
        assertThat(health.report())
                .isEqualTo(new CheckReport.Node(
                        "redis://a:6379", CheckReport.State.UNUSABLE, "silence, suspected for 0 ms", Duration.ZERO));
    }

    @Test
    void suspectedNode_isLookedAtEverMoreRarely_byOneAtATime() {
        health.failed("silence");
        assertThat(health.isAsked()).isFalse();
        assertThat(health.reason()).isEqualTo("silence, suspected for 0 ms");
        for (long pause : new long[] {50, 100, 200, 400, 800, 1_000, 1_000}) {
            passMillis(pause - 1);
            assertThat(health.nanosUntilLook()).as("before " + pause).isPositive();
            passMillis(1);
            assertThat(health.nanosUntilLook()).as("after " + pause).isNotPositive();
            assertThat(health.claimLook()).isTrue();
            assertThat(health.claimLook()).as("twice").isFalse();
        }
        health.admitted(Admission.TRUSTED);
        assertThat(health.isAsked()).isTrue();
    }

    @Test
    void quarantinedNode_isAsked_andSaysForHowLong() {
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(3), "it was flushed"));
        passMillis(1_000);
        assertThat(health.isAsked()).isTrue();
        assertThat(health.reason()).isEqualTo("in quarantine for another 2000 ms: it was flushed");
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(2), "")); // a later look does not know why
        assertThat(health.reason()).isEqualTo("in quarantine for another 2000 ms: it was flushed");
    }

    @Test
    void nodeThatIsNotAsked_saysWhatStandsAgainstItByNow() {
        health.failed("silence");
        passMillis(10);
        health.failed("no such password");
        assertThat(health.reason()).isEqualTo("no such password, suspected for 10 ms");
    }

    @Test
    void recorder_hearsOfChangesOnly() {
        health.admitted(Admission.TRUSTED);
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(3), "it was flushed"));
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(2), ""));
        health.admitted(Admission.TRUSTED);
        health.failed("silence");
        health.failed("still silence");
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(1), ""));
        assertThat(heard)
                .containsExactly(
                        "redis://a:6379 quarantined it was flushed",
                        "redis://a:6379 up ",
                        "redis://a:6379 suspected silence",
                        "redis://a:6379 quarantined its birth mark says so");
    }

    @Test
    void refusedNode_isNotDoubtedToo() {
        health.refuse("it is a replica");
        health.doubt("its clock jumped");
        assertThat(health.reason()).startsWith("it is a replica, refused");
    }

    @Test
    void nodeThatIsAgainstUsForOneReasonAfterAnother_isNotLookedAtMoreOften() {
        health.failed("silence");
        passMillis(50);
        assertThat(health.claimLook()).isTrue(); // the next is due after 100 ms
        health.refuse("it is a replica");
        passMillis(99);
        assertThat(health.nanosUntilLook()).isPositive();
        passMillis(1);
        assertThat(health.nanosUntilLook()).isNotPositive();
    }

    @Test
    void node_thatFailsTenThousandTimes_fillsNoLog() {
        try (LogLines log = LogLines.of(LOG)) {
            for (int i = 0; i < 10_000; i++) {
                health.failed("silence");
                health.admitted(Admission.TRUSTED);
            }
            passMillis(1_000);
            health.failed("silence");
            assertThat(log.beginningWith("HF030")).hasSize(3).last().asString().contains("9999 like it");
        }
    }

    @Test
    void node_thatFailsForManyLockServices_isOneLineASecond() {
        try (LogLines log = LogLines.of(LOG)) {
            List<NodeHealth> services =
                    Stream.generate(this::newHealth).limit(10_000).toList();
            services.forEach(service -> service.failed("silence"));
            passMillis(1_000);
            services.forEach(service -> service.failed("silence"));
            assertThat(log.beginningWith("HF0301")).hasSize(1);
            services.forEach(service -> service.admitted(Admission.TRUSTED));
            assertThat(log.beginningWith("HF0302")).hasSize(1);
            services.forEach(service -> service.failed("silence"));
            services.forEach(service -> service.admitted(Admission.TRUSTED));
            assertThat(log.beginningWith("HF0301")).hasSize(2);
            assertThat(log.beginningWith("HF0302")).hasSize(2);
        }
    }

    @Test
    void node_thatFailsAndComesBackForManyLockServices_isOneLineASecondWithACount() {
        try (LogLines log = LogLines.of(LOG)) {
            for (int i = 0; i < 10_000; i++) {
                NodeHealth service = newHealth();
                service.failed("silence");
                service.admitted(Admission.TRUSTED);
            }
            passMillis(1_000);
            newHealth().failed("silence");
            assertThat(log.beginningWith("HF030")).hasSize(3).last().asString().contains("9999 like it");
        }
    }

    /** As of a user that may enter below one prefix only. */
    @Test
    void node_thatRefusesOneLockServiceJustAfterItFailedForAnother_isSaidToWhenALineIsDue() {
        NodeHealth other = newHealth();
        try (LogLines log = LogLines.of(LOG)) {
            health.failed("silence");
            other.refuse("it does not let us look");
            health.admitted(Admission.TRUSTED);
            assertThat(log.beginningWith("HF0301")).hasSize(1);
            passMillis(1_000);
            other.refuse("it does not let us look");
            other.refuse("it does not let us look");
            assertThat(log.beginningWith("HF0301")).hasSize(2).last().asString().contains("refused");
        }
    }

    @Test
    void node_thatIsAskedAgainByOneLockServiceOnly_isSaidToFailForTheOther() {
        NodeHealth other = newHealth();
        try (LogLines log = LogLines.of(LOG)) {
            health.failed("silence");
            other.failed("silence");
            health.admitted(Admission.TRUSTED);
            passMillis(1_000);
            other.failed("silence");
            assertThat(log.beginningWith("HF0301")).hasSize(2);
            other.admitted(Admission.TRUSTED);
            assertThat(log.beginningWith("HF0302")).hasSize(2);
        }
    }

    /** Another channel sees it answer before the failure is logged. */
    @Test
    void node_thatIsBackBeforeTheLogHasIt_isSaidToBeAskedAgainAndToFailTheNextTime() {
        whenHeard = () -> health.admitted(Admission.TRUSTED);
        try (LogLines log = LogLines.of(LOG)) {
            health.failed("silence");
            assertThat(log.beginningWith("HF0302")).hasSize(1);
            passMillis(1_000);
            health.failed("silence");
            assertThat(log.beginningWith("HF0301")).hasSize(2);
        }
    }

    /** What is against it changes within the second in which nothing more is said. */
    @Test
    void node_thatTheLogHasSetAside_isSaidToBeAskedAgainWhateverStoodAgainstItSince() {
        try (LogLines log = LogLines.of(LOG)) {
            health.failed("silence");
            health.refuse("it is a replica");
            health.admitted(Admission.TRUSTED);
            health.failed("silence");
            health.admitted(Admission.TRUSTED);
            assertThat(log.beginningWith("HF0301")).hasSize(1);
            assertThat(log.beginningWith("HF0302")).hasSize(1);
        }
    }
}
