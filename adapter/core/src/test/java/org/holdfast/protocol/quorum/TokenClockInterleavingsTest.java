// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.interleavings.Interleavings;
import org.holdfast.protocol.VirtualTime;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens grow, and no two callers draw the same: also while tokens of other processes are seen. */
@Tag("nightly")
class TokenClockInterleavingsTest {

    private static Interleavings stories() {
        return Interleavings.of(Operations.class, Growing.class)
                .story("draw 0; draw 15 | draw 0; draw 0")
                .story("observe 7; draw 0 | draw 2; observe 3");
    }

    /** Tokens as they are ahead of the wall clock, which stands still. */
    @Param(name = "more", gen = IntGen.class)
    @Param(name = "token", gen = IntGen.class)
    public static final class Operations {

        private final VirtualTime time = new VirtualTime();
        private final long now = time.epochMicros();
        private final TokenClock tokens = new TokenClock(time, 1_000);

        @Operation
        public int draw(int more) {
            return (int) (tokens.next(more) - now);
        }

        @Operation
        public void observe(int token) {
            tokens.observe(now + token);
        }
    }

    /** What it looks like to one thread. */
    public static final class Growing {

        private int largest = -2;

        public int draw(int more) {
            int drawn = largest + 2;
            largest = drawn + more;
            return drawn;
        }

        public void observe(int token) {
            largest = Math.max(largest, token);
        }
    }

    @Test
    void tokens_growAndAreDrawnOnce() {
        stories().check();
    }

    @Test
    void tokenThatIsReadAndWrittenInTwoSteps_isFound() throws Exception {
        assertThat(stories()
                        .checkWith(
                                "org/holdfast/protocol/quorum/TokenClock.java",
                                "largest.accumulateAndGet(token, Math::max);",
                                "largest.set(Math.max(largest.get(), token));"))
                .isNotNull();
    }
}
