// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the guard finds at a node: another process, memory that is gone or old, a replica, eviction. */
class NodeGuardTest extends GuardedNode {

    @Test
    void node_usedForTheFirstTime_isInQuarantineFromTheFirstLook() {
        assertBegins("no birth mark");
        voteAfterQuarantine();
    }

    /** A grant by a clock that moved since the look is weighed by that. */
    private static final String EARLY =
            "its heartbeat is gone too early: its clock went ahead and came back, or keys were" + " evicted or deleted";

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

    /** It has a clock of its own, which means nothing for the moments of the process before it. */
    @Test
    void process_thatWasOutOfTouch_leavesARestartWithAnotherClockToThoseThatSawIt() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(20));
        node.process = new BirthMark.Process("restarted", 0, "-", "-");
        node.now -= 3_600 * SECOND;
        steadySince = node.now;
        node.mark = "";
        node.heartbeatUntil = 0;
        guard(new AcceptedSettings(SHORT), false).admit(node);
        long since = node.parsed().sinceMicros();
        pass(Duration.ofSeconds(5));
        assertThat(admitted().reason()).isEmpty();
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    @Test
    void process_withoutAMark_thatTookThePlaceOfAnother_isInQuarantineAsThat() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("standby", 0, "-", "-");
        node.mark = "";
        assertBegins("another Redis process than before answers at this address");
    }

    @Test
    void quarantine_thatIsAskedFor_begins_whateverTheMarkIs() {
        voteAfterQuarantine();
        assertThat(guard.quarantine(node, "its clock jumped")).isTrue();
        assertThat(node.parsed().sinceMicros()).isEqualTo(node.now);
        assertThat(admitted().quarantineMicros()).isEqualTo(QUARANTINE);
    }

    /** Each time that it has looked another process changes the mark. */
    @Test
    void mark_thatOthersChangeAgainAndAgain_isLeftToThemAfterFiveRounds() {
        List<MarkChange> refused = new ArrayList<>();
        NodeProbe busy = new NodeProbe() {
            @Override
            public NodeProbe.Sight look() {
                return node.look();
            }

            @Override
            public Optional<Long> write(MarkChange change) {
                refused.add(change);
                return Optional.empty();
            }
        };
        assertThat(guard.admit(busy)).isInstanceOf(NodeGuard.Admission.Unsettled.class);
        assertThat(refused).hasSize(5);
        assertThat(guard.quarantine(busy, "its clock jumped")).isFalse();
        assertThat(refused).hasSize(10).last().satisfies(change -> assertThat(change.reason())
                .isEqualTo("its clock jumped"));
    }

    /** Clients may have another mark in another slot of a cluster. */
    @Test
    void look_whereItIsNotKnownThatAllClientsHaveThatMark_isNotNoted_butAQuarantineBegins() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(2));
        String mark = node.mark;
        node.isMarkOfAll = false;
        assertVotes();
        assertThat(node.mark).isEqualTo(mark);

        node.process = new BirthMark.Process("other", 0, "-", "-");
        assertBegins("another Redis process than before");
    }

    /** It was set by a look that was half a second ahead of the clock, and Redis expires a little early. */
    @Test
    void heartbeat_thatEndedByItself_isNotGoneTooEarly() {
        long lasts = SHORT.heartbeat().toMillis();
        for (long millis : new long[] {lasts - 521, lasts - 519}) {
            guard = guard(new AcceptedSettings(SHORT), false);
            node.mark = "";
            voteAfterQuarantine();
            watch(Duration.ofSeconds(1));
            long seen = node.parsed().seenMicros();
            pass(Duration.ofMillis(millis).minusNanos((node.now - seen) * 1_000));
            node.heartbeatUntil = 0;
            boolean early = millis == lasts - 521;
            assertThat(admitted().reason()).isEqualTo(early ? EARLY : "");
        }
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
    void memory_loadedByTheSameProcess_beginsAQuarantine() {
        voteAfterQuarantine();
        node.process = new BirthMark.Process("run", 0, "-", "57+0");
        assertBegins("loaded a file");
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
    void mark_ofAnotherForm_isNoMark() {
        node.mark = "12 run data 0";
        assertBegins("not one of this version");
    }
}
