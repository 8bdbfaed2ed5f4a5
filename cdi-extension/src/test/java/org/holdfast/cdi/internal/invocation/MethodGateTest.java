// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MethodGateTest {

    private final MethodGate gate = new MethodGate();

    private boolean isOpenToAnotherThread() {
        return CompletableFuture.supplyAsync(gate::enter, run -> new Thread(run).start())
                .join();
    }

    @Test
    void thread_thatIsInside_keepsOthersOutUntilItHasLeftAsOften() {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        assertThat(gate.leave()).isFalse();
        assertThat(isOpenToAnotherThread()).isFalse();
        assertThat(gate.leave()).isFalse();
        assertThat(isOpenToAnotherThread()).isTrue();
    }

    @Test
    void lock_isReleasedAtOnce_andNoThreadComesInBehindThat() {
        assertThat(gate.close()).isTrue();
        assertThat(gate.enter()).isFalse();
    }

    @Test
    void lock_isReleasedByTheThreadThatIsInside_whenItHasLeft() {
        gate.enter();
        gate.enter();
        assertThat(gate.close()).isFalse();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.leave()).isFalse();
        assertThat(gate.leave()).isTrue();
    }

    @Test
    void lock_isReleasedOnce() {
        assertThat(gate.close()).isTrue();
        assertThat(gate.close()).isFalse();
        assertThat(gate.closeWhenEmpty()).isFalse();
    }

    @Test
    void thread_thatWaitsForTheOneInside_releasesTheLock_andStaysInterrupted() throws Exception {
        gate.enter();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            released.complete(gate.closeWhenEmpty());
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.WAITING);
        waiting.interrupt();
        assertThat(gate.leave()).isFalse();
        assertThat(released.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
    }
}
