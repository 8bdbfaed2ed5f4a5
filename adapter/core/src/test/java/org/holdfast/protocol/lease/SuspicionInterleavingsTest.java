// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.interleavings.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** A suspicion is open until a renewal is granted that was sent after it was raised. */
class SuspicionInterleavingsTest {

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Counted.class)
                .story("raise; raise; resolve 1 | isOpen")
                .story("raise; resolve 1; raise; resolve 2 | isOpen; isOpen")
                .story("raise; resolve 1 | raise; resolve 2");
    }

    /** Renewals are granted that were sent when the suspicion had been raised so often. */
    @Param(name = "raisedBefore", gen = IntGen.class)
    public static final class Operations {

        private final Cohort.Suspicion suspicion = new Cohort.Suspicion();

        @Operation
        public void raise() {
            suspicion.raise(0);
        }

        @Operation
        public void resolve(int raisedBefore) {
            suspicion.resolve(raisedBefore);
        }

        @Operation
        public boolean isOpen() {
            return suspicion.isOpen();
        }
    }

    /** What it looks like to one thread. */
    public static final class Counted {

        private int raised;
        private int resolved;

        public void raise() {
            raised++;
        }

        public void resolve(int raisedBefore) {
            resolved = Math.max(resolved, raisedBefore);
        }

        public boolean isOpen() {
            return raised > resolved;
        }
    }

    @Test
    void suspicion_isOpenUntilALaterRenewalIsGranted() {
        stories().check();
    }

    @Test
    void suspicionThatAnOlderRenewalHides_isFound() throws Exception {
        assertThat(stories()
                        .checkWith(
                                "org/holdfast/protocol/lease/Cohort.java",
                                "return known != raised;",
                                "return raised != resolved;"))
                .isNotNull();
    }
}
