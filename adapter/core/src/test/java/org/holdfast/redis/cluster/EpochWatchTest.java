// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

/** What a client knows of the epoch that a node had until another one took its place. */
class EpochWatchTest {

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final EpochWatch epochs = new EpochWatch(time, Duration.ofSeconds(2).toNanos());

    private void see(boolean isSame, long epoch, long since) {
        epochs.see(isSame, epoch, time.nanoTime(), since);
    }

    @Test
    void epochOfTheNodeBefore_isTheLastOneThatAMajorityHasNamed() {
        see(false, 3, start);
        time.passMillis(1_000);
        see(true, 4, start);
        assertThat(epochs.wasBefore(4)).as("no node was before").isFalse();
        time.passMillis(1_000);
        see(false, 7, start);
        assertThat(epochs.wasBefore(4)).isTrue();
        assertThat(epochs.wasBefore(3)).isFalse();
        see(true, 8, start);
        assertThat(epochs.wasBefore(4)).isTrue();
    }

    /** It may have had another one by then. */
    @Test
    void epochOfTheNodeBefore_isNotKnown_whereThisClientDidNotAskMeanwhile() {
        see(false, 3, start);
        time.passMillis(5_000);
        see(false, 7, time.nanoTime());
        assertThat(epochs.wasBefore(3)).isFalse();
    }

    @Test
    void client_thatDoesNotAsk_hasMissedWhatHappened() {
        see(false, 3, start);
        time.passMillis(2_000);
        assertThat(epochs.since()).isEqualTo(start);
        time.passMillis(1);
        assertThat(epochs.since()).isEqualTo(time.nanoTime());
    }

    @Test
    void client_thatHasNeverAsked_hasMissedAll() {
        time.passMillis(TimeUnit.SECONDS.toMillis(9));
        assertThat(epochs.since()).isEqualTo(time.nanoTime());
    }
}
