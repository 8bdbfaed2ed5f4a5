// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.Set;
import org.holdfast.DistributedLatch;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.protocol.node.Latch;
import org.junit.jupiter.api.Test;

/** What a caller has in hand. */
class LatchHandleTest extends LatchOnThreeNodes {

    @Test
    void latch_tellsWhichUseOfWhichNameItIs() {
        DistributedLatch later = fixture.engine.latches().open(new Latch("y", 3, 2), Duration.ZERO, caller);
        assertThat(later.name()).isEqualTo("y");
        assertThat(later.generation()).isEqualTo(3);
        assertThat(later.initialCount()).isEqualTo(2);
        assertThat(later).hasToString("latch 'y', generation 3 of 2");
    }

    /** Also where nothing needs to be waited for. */
    @Test
    void latch_ofAConnectionThatIsClosed_asksNothing() {
        memory.forEach(ids -> ids.addAll(Set.of("a", "b")));
        open = false;
        assertThatIllegalStateException().isThrownBy(latch::countDown);
        assertThatIllegalStateException().isThrownBy(() -> latch.countDown("c"));
        assertThatIllegalStateException().isThrownBy(() -> latch.await(Duration.ZERO));
        assertThat(nodes.sent).isEmpty();
    }

    @Test
    void countDown_underAnId_isRecordedByIt_andCountsOnce() throws Exception {
        latch.countDown("a");
        latch.countDown("a");
        assertThat(memory).allMatch(ids -> ids.equals(Set.of("a")));
        assertThat(latch.await(Duration.ZERO)).isFalse();
    }

    @Test
    void countDown_underAnIdThatCannotBe_asksNothing() {
        assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> latch.countDown("a b"));
        assertThatNullPointerException().isThrownBy(() -> latch.countDown(null)).withMessage("id");
        assertThat(nodes.sent).isEmpty();
    }
}
