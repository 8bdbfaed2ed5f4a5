// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.holdfast.interleavings.Interleavings;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.waiting.AcquireResult;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is held is renewed, and at once if it may have been taken away, whatever renewal is under way. */
@Tag("nightly")
class RenewalsInterleavingsTest {

    private static final String RENEWALS = "org/holdfast/protocol/lease/Renewals.java";

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Anything.class)
                .asOneStep("protocol.quorum.", "protocol.ScriptedNodes", "java.util.stream.", "java.util.ArrayList")
                .story("acquire; passHalf", "suspect | pass; sweep")
                .story("acquire", "suspect | sweep");
    }

    /** A lock whose renewal is due when half of its TTL has passed. */
    public static final class Operations {

        private final ProtocolFixture fixture = new ProtocolFixture(1);
        private HeldLock heldLock;

        @Operation
        public void acquire() throws InterruptedException {
            AcquireResult got = fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread()));
            heldLock = ((AcquireResult.Held) got).heldLock();
        }

        @Operation
        public void passHalf() {
            fixture.time.passMillis(ProtocolFixture.TTL_MILLIS / 2);
        }

        /** It is announced that another process has taken the lock away. */
        @Operation
        public void suspect() {
            fixture.leases.suspect(heldLock.lock(), Long.MAX_VALUE);
        }

        @Operation
        public void pass() {
            fixture.time.passMillis(1);
        }

        @Operation
        public void sweep() {
            fixture.renewals.sweep(fixture.service);
        }

        @Validate
        public void nothingIsLeftUndone() {
            if (heldLock.cohort().suspicion().isOpen() && !fixture.renewals.isDue()) {
                throw new IllegalStateException("an open suspicion is not checked at once");
            }
            passHalf();
            if (!fixture.renewals.isDue()) {
                throw new IllegalStateException("a lease is not renewed");
            }
        }
    }

    /** The operations return nothing: what counts is what they leave. */
    public static final class Anything {

        public void acquire() {}

        public void passHalf() {}

        public void suspect() {}

        public void pass() {}

        public void sweep() {}
    }

    @Test
    void suspicion_thatIsRaisedDuringARenewal_isCheckedAtOnce() {
        stories().check();
    }

    @Test
    void suspicionDuringARenewalThatWaitsForTheNext_isFound() throws Exception {
        assertThat(stories()
                        .checkWith(
                                RENEWALS,
                                "each.isSuspectedSince()",
                                "heldLock.cohort().suspicion().isOpen()"
                                        + " && heldLock.cohort().suspicion().due() - started >= 0"))
                .contains("an open suspicion is not checked at once");
    }
}
