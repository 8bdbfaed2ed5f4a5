// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

class NodeGuardTest {

    private static final long SECOND = 1_000_000;
    private static final long START = 1_800_000_000L * SECOND;
    private static final SharedSettings SHORT = new SharedSettings(10_000, 600_000, 0.01);
    private static final SharedSettings LONG = new SharedSettings(60_000, 600_000, 0.01);
    private static final long QUARANTINE = SHORT.quarantine().toNanos() / 1_000;
    private static final BirthMark.Process PROCESS = new BirthMark.Process("run", 0, "-", "-");

    private final VirtualTime time = new VirtualTime();
    private final FakeNode node = new FakeNode();
    private long steadySince = START;

    /** 0 if no gap lies before {@link #steadySince}. */
    private long unmovedSince;

    /** What the clock monitor heard of the last look. */
    private long grantsFrom;

    private long watchedSince;

    private NodeGuard guard = guard(new AcceptedSettings(SHORT), false);

    /** A node that does what mark.lua does, and whose answers a test chooses. */
    private final class FakeNode implements NodeProbe {
        private long now = START;
        private String mark = "";
        private long heartbeatUntil;
        private BirthMark.Process process = PROCESS;
        private boolean primary = true;
        private boolean mayEvict;
        private Optional<String> durabilityFault = Optional.empty();
        private int writes;
        private Runnable beforeWrite = () -> {};

        @Override
        public NodeProbe.Sight look() {
            NodeFacts facts = new NodeFacts(process, primary, false, mayEvict, durabilityFault, now);
            return new NodeProbe.Sight(facts, mark, now < heartbeatUntil);
        }

        @Override
        public Optional<Long> write(MarkChange change) {
            beforeWrite.run();
            assertThat(change.seenText()).isEqualTo(mark);
            List<Long> before = BirthMark.parse(mark).map(BirthMark::looks).orElse(List.of()).stream()
                    .filter(look -> look - now <= SECOND / 2)
                    .limit(7)
                    .toList();
            long seen = Math.max(now, before.stream().findFirst().orElse(0L) + 1);
            String looks = Stream.concat(Stream.of(seen), before.stream())
                    .map(String::valueOf)
                    .collect(Collectors.joining(","));
            boolean begins = change.sinceMicros() == MarkChange.NOW;
            long last = BirthMark.parse(mark).map(BirthMark::seenMicros).orElse(0L);
            long behind = Math.max(change.behindUntilMicros(), begins ? last : 0);
            String since = behind > 0 && (behind > now || !begins) ? ":" + behind : "";
            mark = moment(change.sinceMicros()) + since + " " + looks + " " + moment(change.steadyMicros()) + " "
                    + change.rest();
            heartbeatUntil = now + change.heartbeatMillis() * 1_000;
            writes++;
            return Optional.of(seen);
        }

        private long moment(long micros) {
            return micros == MarkChange.NOW ? now : micros;
        }

        private BirthMark parsed() {
            return BirthMark.parse(mark).orElseThrow();
        }
    }

    private NodeGuard guard(AcceptedSettings acceptedSettings, boolean durable) {
        NodeGuard.ClockWatch steady = new NodeGuard.ClockWatch() {
            @Override
            public boolean isDoubted(int node) {
                return false;
            }

            @Override
            public long steadyMicros(int node) {
                return steadySince;
            }

            @Override
            public long unwatchedMicros(int node, long fromMicros) {
                return Math.max(0, (unmovedSince == 0 ? steadySince : unmovedSince) - fromMicros);
            }

            @Override
            public void admitted(int node, int term, long wholeFromMicros, long steadyMicros) {
                grantsFrom = wholeFromMicros;
                watchedSince = steadyMicros;
            }
        };
        return new NodeGuard(0, acceptedSettings, durable, steady, time);
    }

    /** Time goes on, and the node is looked at once a second as long as it does. */
    private void watch(Duration duration) {
        for (long second = 0; second < duration.toSeconds(); second++) {
            pass(Duration.ofSeconds(1));
            guard.admit(node);
        }
    }

    private void pass(Duration duration) {
        node.now += TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
        time.pass(duration.toNanos());
    }

    private NodeGuard.Admission.Admitted admitted() {
        NodeGuard.Admission admission = guard.admit(node);
        assertThat(admission).isInstanceOf(NodeGuard.Admission.Admitted.class);
        return (NodeGuard.Admission.Admitted) admission;
    }

    private String refusal() {
        NodeGuard.Admission admission = guard.admit(node);
        assertThat(admission).isInstanceOf(NodeGuard.Admission.Refused.class);
        return ((NodeGuard.Admission.Refused) admission).reason();
    }

    private void assertVotes() {
        assertThat(admitted()).satisfies(it -> assertThat(it.quarantineMicros()).isZero());
    }

    private void assertBegins(String reason) {
        assertThat(admitted().reason()).contains(reason);
        assertThat(node.parsed().sinceMicros()).isEqualTo(node.now);
        assertThat(admitted().quarantineMicros()).isEqualTo(QUARANTINE);
        assertThat(admitted().reason()).as("a quarantine begins once").isEmpty();
    }

    private void voteAfterQuarantine() {
        admitted();
        watch(Duration.ofSeconds(12));
        assertVotes();
    }

    @Test
    void node_usedForTheFirstTime_isInQuarantineFromTheFirstLook() {
        assertBegins("no birth mark");
        voteAfterQuarantine();
    }

    /** A grant by a clock that moved since the look is weighed by that. */
    @Test
    void look_saysFromWhenOnTheNodeMayGrant_andSinceWhenItsClockIsWatched() {
        admitted();
        assertThat(grantsFrom).isEqualTo(START + QUARANTINE);
        assertThat(watchedSince).isEqualTo(START);
        watch(Duration.ofSeconds(5));
        assertThat(grantsFrom).isEqualTo(START + QUARANTINE);
        node.now -= SECOND / 3;
        admitted();
        assertThat(watchedSince).as("nothing can be compared").isEqualTo(MarkChange.NOW);
    }

    @Test
    void looks_ofSeveralProcesses_areNotedTwiceASecond() {
        voteAfterQuarantine();
        int before = node.writes;
        for (int look = 0; look < 1_000; look++) {
            pass(Duration.ofMillis(10));
            guard.admit(node);
        }
        assertThat(node.writes - before).isBetween(15, 20);
    }

    @Test
    void process_thatTheMarkDoesNotName_remembersEverythingSinceNow() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("other", 0, "-", "-");
        assertBegins("another Redis process");
    }

    @Test
    void process_thatTheMarkDoesNotName_keepsTheMoment_whereTheOperatorVouches() {
        guard = guard(new AcceptedSettings(SHORT), true);
        voteAfterQuarantine();
        long since = node.parsed().sinceMicros();
        node.process = new BirthMark.Process("other", 0, "-", "-");
        assertVotes();
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
        assertThat(node.parsed().process().runId()).isEqualTo("other");
    }

    @Test
    void durableNode_whoseFilesWereRestored_remembersEverythingSinceNow() {
        guard = guard(new AcceptedSettings(SHORT), true);
        voteAfterQuarantine();
        String backup = node.mark;
        watch(Duration.ofSeconds(5));
        node.mark = backup;
        node.process = new BirthMark.Process("other", 0, "-", "-");
        assertBegins("older than what was seen");
    }

    @Test
    void durableNode_thatDoesNotPersistEachWrite_isRefusedAndForgets() {
        guard = guard(new AcceptedSettings(SHORT), true);
        voteAfterQuarantine();
        node.durabilityFault = Optional.of("appendfsync is everysec: set it to always");
        assertThat(refusal()).contains("said to be durable").contains("appendfsync is everysec");
        assertThat(node.parsed().sinceMicros()).isEqualTo(node.now);
    }

    @Test
    void standby_withAMarkOfItsOwn_isInQuarantine_ifItTookThePlaceOfAnother() {
        voteAfterQuarantine();
        String first = node.mark;
        node.process = new BirthMark.Process("standby", 0, "-", "-");
        node.mark = first.replace("run", "standby");
        assertBegins("another Redis process than before answers at this address");
    }

    @Test
    void process_thatWasOutOfTouch_leavesARestartToThoseThatSawIt() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(20));
        node.process = new BirthMark.Process("restarted", 0, "-", "-");
        NodeGuard other = guard(new AcceptedSettings(SHORT), false);
        other.admit(node);
        long since = node.parsed().sinceMicros();
        pass(Duration.ofSeconds(5));
        assertThat(admitted().quarantineMicros()).isEqualTo(QUARANTINE - 5 * SECOND);
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    @Test
    void heartbeat_goneTooEarly_beginsAQuarantine() {
        voteAfterQuarantine();
        node.heartbeatUntil = 0;
        assertBegins("heartbeat is gone too early");
    }

    @Test
    void heartbeat_goneAfterAnIdleNight_costsNothing() {
        voteAfterQuarantine();
        pass(Duration.ofHours(8));
        guard = guard(new AcceptedSettings(SHORT), false); // a process that starts in the morning
        assertVotes();
    }

    @Test
    void memory_olderThanWhatWasSeen_beginsAQuarantine() {
        voteAfterQuarantine();
        String snapshot = node.mark;
        watch(Duration.ofSeconds(3));
        node.mark = snapshot;
        assertBegins("older than what was seen");
    }

    @Test
    void memory_olderThanWhatWasSeen_isNotHiddenByTheLookOfAProcessThatStartsThen() {
        voteAfterQuarantine();
        String snapshot = node.mark;
        watch(Duration.ofSeconds(3));
        node.mark = snapshot;
        pass(Duration.ofMillis(1));
        NodeGuard old = guard;
        guard = guard(new AcceptedSettings(SHORT), false);
        admitted(); // and is written down
        guard = old;
        assertBegins("older than what was seen");
    }

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

    @Test
    void clock_setBack_beginsAQuarantine_unlessByLittle() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= SECOND / 3;
        assertVotes();
        watch(Duration.ofSeconds(5));
        assertVotes();
        node.now -= 30 * SECOND;
        assertBegins("set back");
        watch(Duration.ofSeconds(12));
        assertVotes();
    }

    @Test
    void clock_behindForAMoment_beginsTheQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        node.now += 30 * SECOND;
        assertBegins("may have been behind");
        watch(Duration.ofSeconds(12));
        assertVotes();
    }

    /** Where the mark is gone the process that looks remembers what the clock has shown. */
    @Test
    void clock_behindForAMomentWhileMemoryIsFlushed_beginsTheQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        node.mark = "";
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("flushed");
        node.now += 30 * SECOND;
        assertBegins("may have been behind");
    }

    @Test
    void clock_setBackForGood_andWatchedForAQuarantine_beginsNoOther() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(60));
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        long since = node.parsed().sinceMicros();
        watch(Duration.ofSeconds(12));
        assertVotes();
        watch(Duration.ofSeconds(60));
        assertVotes();
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    @Test
    void clock_setBackForGood_andNotWatchedSince_beginsAQuarantineAnew() {
        voteAfterQuarantine();
        node.now -= 30 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
        pass(Duration.ofSeconds(31));
        steadySince = node.now;
        assertBegins("may have been behind");
    }

    /** By a process that has just started, and cannot know whether the clock went ahead before. */
    @Test
    void quarantine_thatNoProcessHasWatched_countsOnlyTimeThatWasWatched() {
        admitted();
        watch(Duration.ofSeconds(4));
        pass(Duration.ofSeconds(4));
        steadySince = node.now;
        assertThat(admitted().reason()).contains("no process has watched its clock");
        long left = QUARANTINE - 4 * SECOND + 3_500_000;
        assertThat(admitted().quarantineMicros()).isEqualTo(left);
    }

    /** Each lives for a moment, and finds that no process has watched the clock before it. */
    @Test
    void quarantine_thatOnlyShortLivedProcessesSee_endsAfterTwoAtTheLatest() {
        admitted();
        long begun = node.now;
        for (int job = 0; job < 4; job++) {
            pass(Duration.ofSeconds(5));
            steadySince = node.now;
            assertThat(admitted().quarantineMicros()).isBetween(1L, begun + 2 * QUARANTINE - node.now);
        }
        pass(Duration.ofSeconds(5));
        steadySince = node.now;
        assertVotes();
    }

    @Test
    void quarantine_thatNoProcessHasSeenEnd_isOverAfterTwo() {
        admitted();
        pass(Duration.ofHours(8));
        steadySince = node.now;
        assertThat(admitted()).satisfies(it -> {
            assertThat(it.quarantineMicros()).isZero();
            assertThat(it.reason()).isEmpty();
        });
    }

    /** It has looked seldom, and yet knows that the clock has not gone ahead. */
    @Test
    void quarantine_thatOneProcessHasSeenWithGaps_isNoLonger() {
        admitted();
        unmovedSince = START;
        for (int look = 0; look < 3; look++) {
            pass(Duration.ofMillis(3_600));
            steadySince = node.now;
            admitted();
        }
        assertVotes();
    }

    /** The clock went ahead between that look and the moment at which it was noted. */
    @Test
    void watch_thatIsNoted_reachesNoFurtherThanTheLook() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(1));
        node.beforeWrite = () -> {
            pass(Duration.ofSeconds(3));
            steadySince = node.now; // as the reply shows
        };
        admitted();
        assertThat(node.parsed().watchedMicros()).isEqualTo(node.now - 3 * SECOND);
        node.beforeWrite = () -> {};
        pass(Duration.ofSeconds(3));
        admitted();
        assertThat(node.parsed().steadyMicros()).isEqualTo(steadySince);
    }

    @Test
    void quarantine_thatOtherProcessesWatch_isLongerForAProcessThatHasJustStarted() {
        admitted();
        watch(Duration.ofSeconds(11));
        assertVotes();
        steadySince = node.now;
        assertThat(admitted().quarantineMicros()).isBetween(2 * SECOND, 3 * SECOND);
    }

    /** Another process has looked first, and does not know what this one has seen. */
    @Test
    void clock_behindWhereAnotherProcessHasSetTheMark_beginsAQuarantineAnewWhenItIsRight() {
        voteAfterQuarantine();
        NodeGuard knowing = guard;
        node.mark = "";
        node.process = new BirthMark.Process("other", 0, "-", "-");
        pass(Duration.ofSeconds(4));
        node.now -= 60 * SECOND;
        steadySince = node.now;
        guard = guard(new AcceptedSettings(SHORT), false);
        guard.admit(node);
        guard = knowing;
        guard.admit(node);
        node.now += 60 * SECOND;
        assertBegins("may have been behind");
    }

    /** Its look hides by a new heartbeat that the clock came back, and with which keys. */
    @Test
    void clock_thatCameBack_afterAFreshProcessHasLookedMeanwhile_beginsAQuarantine() {
        voteAfterQuarantine();
        NodeGuard old = guard;
        node.now += 60 * SECOND;
        node.heartbeatUntil = 0; // it has expired
        guard = guard(new AcceptedSettings(SHORT), false);
        guard.admit(node);
        node.now -= 60 * SECOND;
        guard = old;
        assertBegins("set back");
    }

    @Test
    void memory_loadedByTheSameProcess_beginsAQuarantine() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("run", 0, "-", "57+0");
        assertBegins("loaded a file");
    }

    @Test
    void clock_setBackBeforeTheMark_beginsAQuarantine() {
        voteAfterQuarantine();
        node.now -= 60 * SECOND;
        steadySince = node.now;
        assertBegins("set back");
    }

    @Test
    void eviction_beginsAQuarantine() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("run", 1, "-", "-");
        assertBegins("evicted");
    }

    @Test
    void promotion_ofTheSameProcess_beginsAQuarantine_andAFirstReplicaDoesNot() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("run", 0, "former", "-");
        assertBegins("replica in the meantime");
        watch(Duration.ofSeconds(12));
        node.process = new BirthMark.Process(
                "run", 0, "-", "-"); // a replica attached: Redis drew a new id and forgot the former
        assertVotes();
    }

    @Test
    void replicaAndNodeThatMayEvict_areRefused() {
        node.primary = false;
        assertThat(refusal()).contains("replica");
        node.primary = true;
        node.mayEvict = true;
        assertThat(refusal()).contains("may evict");
        assertThat(node.parsed().sinceMicros())
                .as("processes that have not looked lately see it")
                .isEqualTo(node.now);
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

    @Test
    void mark_ofAnotherForm_isNoMark() {
        node.mark = "12 run data 0";
        assertBegins("not one of this version");
    }

    @Test
    void mark_isReadAsItWasWritten() {
        BirthMark mark = new BirthMark(
                1, 4, List.of(6L, 2L), 3, PROCESS, 7, 1, 5, new AcceptedSettings(LONG, Optional.of(SHORT)));
        assertThat(BirthMark.parse(mark.text())).contains(mark);
        BirthMark usual = new BirthMark(1, 0, mark.looks(), 3, PROCESS, 7, 0, 5, mark.acceptedSettings());
        assertThat(BirthMark.parse(usual.text())).contains(usual);
        BirthMark watchedLater = new BirthMark(1, 0, mark.looks(), 3, PROCESS, 7, 0, 9, mark.acceptedSettings());
        assertThat(BirthMark.parse(watchedLater.text()).orElseThrow().watchedMicros())
                .isEqualTo(6);
        assertThat(BirthMark.parse("")).isEmpty();
        assertThat(BirthMark.parse("1 2 3 run 0 - x/y/z")).isEmpty();
        assertThat(BirthMark.parse("1 2 3 run 0 - 0/1/0.5")).isEmpty();
    }
}
