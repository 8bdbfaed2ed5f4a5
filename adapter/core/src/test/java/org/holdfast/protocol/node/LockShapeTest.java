// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.Test;

/** How the modes of a lock differ. */
class LockShapeTest {

    private static final Target EXCLUSIVE = new Target.Exclusive("a");
    private static final Target SHARED = new Target.Shared("a");
    private static final Target PERMIT = new Target.Permit("a", 1);

    private static LockShape shape(LockMode mode) {
        return LockShape.of(LockRequest.of("a").mode(mode));
    }

    private static final LockShape PERMITS = LockShape.of(LockRequest.semaphore("a", 2));

    @Test
    void readersAndWriters_waitInTurn_othersIfThatIsAskedFor() {
        assertThat(shape(LockMode.READ).isInTurn(false)).isTrue();
        assertThat(shape(LockMode.WRITE).isInTurn(false)).isTrue();
        assertThat(shape(LockMode.EXCLUSIVE).isInTurn(false)).isFalse();
        assertThat(shape(LockMode.EXCLUSIVE).isInTurn(true)).isTrue();
        assertThat(PERMITS.isInTurn(false)).isFalse();
    }

    /** What this process holds itself: the nodes need not be asked. */
    @Test
    void lockOfTheSameProcess_keepsOutWhomItExcludes() {
        for (LockMode alone : new LockMode[] {LockMode.EXCLUSIVE, LockMode.WRITE}) {
            assertThat(shape(alone).isKeptOutBy(EXCLUSIVE)).isTrue();
            assertThat(shape(alone).isKeptOutBy(SHARED)).isTrue();
            assertThat(shape(alone).isKeptOutBy(PERMIT)).isFalse();
        }
        assertThat(shape(LockMode.READ).isKeptOutBy(EXCLUSIVE)).isTrue();
        assertThat(shape(LockMode.READ).isKeptOutBy(SHARED)).isFalse();
        assertThat(shape(LockMode.READ).isKeptOutBy(PERMIT)).isFalse();
        for (Target held : new Target[] {EXCLUSIVE, SHARED, PERMIT}) {
            assertThat(PERMITS.isKeptOutBy(held)).isFalse();
        }
    }

    @Test
    void semaphore_hasATargetForEachPermit() {
        assertThat(PERMITS.hasPermits()).isTrue();
        assertThat(shape(LockMode.EXCLUSIVE).hasPermits()).isFalse();
        assertThat(LockShape.targets(LockRequest.semaphore("a", 2)))
                .isEqualTo(List.of(new Target.Permit("a", 0), new Target.Permit("a", 1)));
        assertThat(LockShape.targets(LockRequest.allOf("a", "b")))
                .isEqualTo(List.of(new Target.Exclusive("a"), new Target.Exclusive("b")));
        assertThat(PERMIT.names()).isEqualTo(List.of("a"));
    }

    @Test
    void forcedRelease_ofASemaphore_meansItsPermitsAndNoLock() {
        assertThat(PERMIT.isAmong(2)).isTrue();
        assertThat(PERMIT.isAmong(1)).as("a semaphore with fewer permits").isFalse();
        assertThat(PERMIT.isAmong(0)).as("a lock").isFalse();
        assertThat(EXCLUSIVE.isAmong(0)).isTrue();
        assertThat(EXCLUSIVE.isAmong(2)).isFalse();
    }
}
