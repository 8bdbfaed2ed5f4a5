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
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.node.SharedSettings;

/** A node whose answers a test chooses, and the guard of a client that looks at it in virtual time. */
abstract class GuardedNode {

    static final long SECOND = 1_000_000;
    static final long START = 1_800_000_000L * SECOND;
    static final SharedSettings SHORT = new SharedSettings(10_000, 600_000, 0.01);
    static final SharedSettings LONG = new SharedSettings(60_000, 600_000, 0.01);
    static final long QUARANTINE = SHORT.quarantine().toNanos() / 1_000;
    private static final NodeFacts.Appointment SHARD = new NodeFacts.Appointment(1, 7, 0, NodeFacts.Namer.CLUSTER);

    static final BirthMark.Process PROCESS = new BirthMark.Process("run", 0, "-", "-");

    final VirtualTime time = new VirtualTime();

    /** What the process has seen of others whose guard is made next. */
    AcceptedSettings.OfOthers others = othersSeenBefore(time);

    boolean clockDoubted;
    boolean formerClockDoubted;
    final FakeNode node = new FakeNode();
    long steadySince = START;

    /** 0 if no gap lies before {@link #steadySince}. */
    long unmovedSince;

    /** What the clock monitor heard of the last look. */
    long grantsFrom;

    long watchedSince;
    NodeGuard guard = guard(new AcceptedSettings(SHORT), false);

    /** A node that does what mark.lua does, and whose answers a test chooses. */
    final class FakeNode implements NodeProbe {
        long now = START;
        String mark = "";
        long heartbeatUntil;
        BirthMark.Process process = PROCESS;
        boolean primary = true;
        boolean mayEvict;
        boolean clustered;
        Optional<String> durabilityFault = Optional.empty();
        int writes;
        Runnable beforeWrite = () -> {};
        boolean isMarkOfAll = true;

        long heardSince = time.nanoTime();
        long watchedSince = time.nanoTime();

        /** How often a client was to ask for nothing new. */
        int othersFirst;

        @Override
        public boolean mayNote() {
            return isMarkOfAll;
        }

        @Override
        public long heardSince() {
            return heardSince;
        }

        @Override
        public boolean hasWatchedSince(long moment) {
            return watchedSince - moment <= 0;
        }

        @Override
        public void letOthersGoFirst() {
            othersFirst++;
        }

        @Override
        public NodeProbe.Sight look() {
            NodeFacts facts = clustered
                    ? new NodeFacts(process, primary, true, mayEvict, durabilityFault, now, Optional.of(SHARD))
                    : new NodeFacts(process, primary, false, mayEvict, durabilityFault, now);
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

        long moment(long micros) {
            return micros == MarkChange.NOW ? now : micros;
        }

        BirthMark parsed() {
            return BirthMark.parse(mark).orElseThrow();
        }
    }

    NodeGuard guard(AcceptedSettings acceptedSettings, boolean durable) {
        NodeGuard.ClockWatch steady = new NodeGuard.ClockWatch() {
            @Override
            public boolean isDoubted(int node) {
                return clockDoubted;
            }

            @Override
            public boolean wasDoubted(int node) {
                return formerClockDoubted;
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
        AcceptedSettings.OfOthers seen = others;
        others = othersSeenBefore(time);
        return new NodeGuard(0, acceptedSettings, seen, durable, steady, time);
    }

    /** Of a process that has been running for a while, and has seen none with other settings. */
    static AcceptedSettings.OfOthers othersSeenBefore(Time time) {
        AcceptedSettings.OfOthers others = new AcceptedSettings.OfOthers();
        others.looked(time.nanoTime() - Duration.ofMinutes(1).toNanos());
        return others;
    }

    /** Time goes on, and the node is looked at once a second as long as it does. */
    void watch(Duration duration) {
        for (long second = 0; second < duration.toSeconds(); second++) {
            pass(Duration.ofSeconds(1));
            guard.admit(node);
        }
    }

    void pass(Duration duration) {
        node.now += TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
        time.pass(duration.toNanos());
    }

    NodeGuard.Admission.Admitted admitted() {
        NodeGuard.Admission admission = guard.admit(node);
        assertThat(admission).isInstanceOf(NodeGuard.Admission.Admitted.class);
        return (NodeGuard.Admission.Admitted) admission;
    }

    String refusal() {
        NodeGuard.Admission admission = guard.admit(node);
        assertThat(admission).isInstanceOf(NodeGuard.Admission.Refused.class);
        return ((NodeGuard.Admission.Refused) admission).reason();
    }

    void assertVotes() {
        assertThat(admitted()).satisfies(it -> assertThat(it.quarantineMicros()).isZero());
    }

    void assertBegins(String reason) {
        assertThat(admitted().reason()).contains(reason);
        assertThat(node.parsed().sinceMicros()).isEqualTo(node.now);
        assertThat(admitted().quarantineMicros()).isEqualTo(QUARANTINE);
        assertThat(admitted().reason()).as("a quarantine begins once").isEmpty();
    }

    void voteAfterQuarantine() {
        admitted();
        watch(Duration.ofSeconds(12));
        assertVotes();
    }
}
