// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.protocol.Recorder;
import org.holdfast.protocol.Time;
import org.holdfast.redis.NodeInspector.Admission;
import org.junit.jupiter.api.Test;

class NodeHealthTest {

    private long nanos = Long.MAX_VALUE - 5; // a clock that is about to overflow

    private final List<String> heard = new ArrayList<>();
    private final NodeHealth health = new NodeHealth(
            NodeAddress.parseList("redis://a", "nodes", new ArrayList<>()).get(0),
            new Time() {
                @Override
                public long nanoTime() {
                    return nanos;
                }

                @Override
                public long epochMicros() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public Signal newSignal() {
                    throw new UnsupportedOperationException();
                }
            },
            new Recorder() {
                @Override
                public void node(String node, String state, String reason) {
                    heard.add(node + " " + state + " " + reason);
                }
            });

    private void passMillis(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void node_isUpUntilSomethingIsAgainstIt() {
        assertThat(health.isAsked()).isTrue();
        assertThat(health.isLookDue()).isFalse();
        assertThat(health.claimLook()).isFalse();
        assertThat(health.reason()).isEqualTo("up");
    }

    @Test
    void suspectedNode_isLookedAtEverMoreRarely_byOneAtATime() {
        health.failed("silence");
        assertThat(health.isAsked()).isFalse();
        assertThat(health.reason()).isEqualTo("silence, suspected for 0 ms");
        for (long pause : new long[] {50, 100, 200, 400, 800, 1_000, 1_000}) {
            passMillis(pause - 1);
            assertThat(health.isLookDue()).as("before " + pause).isFalse();
            passMillis(1);
            assertThat(health.isLookDue()).as("after " + pause).isTrue();
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
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(2), null)); // a later look does not know why
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
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(2), null));
        health.admitted(Admission.TRUSTED);
        health.failed("silence");
        health.failed("still silence");
        health.admitted(new Admission("p", TimeUnit.SECONDS.toNanos(1), null));
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
        assertThat(health.isLookDue()).isFalse();
        passMillis(1);
        assertThat(health.isLookDue()).isTrue();
    }

    @Test
    void node_thatFailsTenThousandTimes_fillsNoLog() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(NodeHealth.class.getName());
        log.addHandler(handler);
        try {
            for (int i = 0; i < 10_000; i++) {
                health.failed("silence");
                health.admitted(Admission.TRUSTED);
            }
            passMillis(1_000);
            health.failed("silence");
        } finally {
            log.removeHandler(handler);
        }
        assertThat(lines).hasSize(3);
        assertThat(lines.get(2)).contains("9999 like it");
    }
}
