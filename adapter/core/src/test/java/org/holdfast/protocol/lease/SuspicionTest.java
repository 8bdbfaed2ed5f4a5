// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SuspicionTest {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

    /** Close to where the clock overflows. */
    private static final long NOW = Long.MAX_VALUE - 10;

    private final Cohort.Suspicion suspicion = new Cohort.Suspicion();

    @Test
    void first_isDueAtOnce_laterOnesOncePerPause() {
        suspicion.raise(NOW);
        assertThat(suspicion.due()).isEqualTo(NOW);
        suspicion.raise(NOW + 1);
        assertThat(suspicion.due()).isEqualTo(NOW + PAUSE);
        suspicion.raise(NOW + 2);
        assertThat(suspicion.due()).as("due anyway").isEqualTo(NOW + PAUSE);
        suspicion.raise(NOW + 3 * PAUSE);
        assertThat(suspicion.due()).isEqualTo(NOW + 3 * PAUSE);
    }

    @Test
    void renewal_thatWasSentBeforeTheLastSuspicion_resolvesTheEarlierOnesOnly() {
        suspicion.raise(NOW);
        int sent = suspicion.raised();
        suspicion.raise(NOW);
        suspicion.resolve(sent);
        assertThat(suspicion.isOpen()).isTrue();
        assertThat(suspicion.isRaisedSince(sent)).isTrue();
        assertThat(suspicion.isRaisedSince(suspicion.raised())).isFalse();
    }

    @Test
    void renewal_thatIsAnsweredAfterALaterOne_opensNothingAgain() {
        suspicion.raise(NOW);
        int former = suspicion.raised();
        suspicion.raise(NOW);
        suspicion.resolve(suspicion.raised());
        suspicion.resolve(former);
        assertThat(suspicion.isOpen()).isFalse();
    }

    @Test
    void first_isDueAtOnce_whereverOurClockBegan() {
        for (long now : new long[] {-3 * PAUSE, -1, 0, 1}) {
            Cohort.Suspicion first = new Cohort.Suspicion();
            first.raise(now);
            assertThat(first.due()).isEqualTo(now);
        }
    }
}
