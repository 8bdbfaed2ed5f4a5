// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.protocol.Time;
import org.junit.jupiter.api.Test;

class NodeHealthTest {

    private long nanos = Long.MAX_VALUE - 5; // a clock that is about to overflow

    private final NodeHealth health = new NodeHealth(
            NodeAddress.parseList("redis://a", "nodes", new ArrayList<>()).get(0), new Time() {
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
        health.admitted(0);
        assertThat(health.isAsked()).isTrue();
    }

    @Test
    void quarantinedNode_isAsked_andSaysForHowLong() {
        health.admitted(TimeUnit.SECONDS.toNanos(3));
        passMillis(1_000);
        assertThat(health.isAsked()).isTrue();
        assertThat(health.reason()).isEqualTo("in quarantine for another 2000 ms");
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
                health.admitted(0);
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
