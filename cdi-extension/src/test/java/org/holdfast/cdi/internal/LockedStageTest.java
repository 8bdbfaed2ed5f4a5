// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnLoss;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Methods that return before their work is done. */
class LockedStageTest extends Application {

    /** What the method of the test works on. */
    private static volatile CompletableFuture<String> work;

    private Later bean;

    @BeforeEach
    void begin() {
        work = new CompletableFuture<>();
        bean = deploy(Later.class);
    }

    @ApplicationScoped
    public static class Later {
        @Locked("later")
        public CompletionStage<String> stage() {
            return work;
        }

        @Locked(value = "later", ttl = "PT3S")
        public CompletableFuture<String> future() {
            return work;
        }

        @Locked("later")
        public CompletionStage<String> twofold() {
            return new Twofold();
        }

        @Locked("later")
        public CompletionStage<String> fail() {
            throw new UnsupportedOperationException("on purpose");
        }

        @Locked("later")
        public CompletionStage<String> nothing() {
            return null;
        }

        @Locked(value = "later", ttl = "PT1S", onLoss = OnLoss.CONTINUE)
        public CompletableFuture<String> goOn() {
            return work;
        }
    }

    /** There is no memory at first for what is to happen when it completes. */
    private static final class WithoutMemory extends CompletableFuture<String> {

        private int refusals = 3;

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
            if (refusals-- > 0) {
                throw new OutOfMemoryError("Java heap space");
            }
            return super.whenComplete(action);
        }
    }

    @Test
    void work_forWhoseEndThereIsNoMemoryAtFirst_isUnderTheLockUntilThen() throws Exception {
        work = new WithoutMemory();
        CompletableFuture<String> result = bean.future();
        assertThat(isHeld("later")).isTrue();
        work.complete("done");
        assertThat(result.get(10, SECONDS)).isEqualTo("done");
        assertThat(isHeld("later")).isFalse();
    }

    /** Libraries have results that can be taken for a stage and for a publisher. */
    private static final class Twofold extends CompletableFuture<String> implements Flow.Publisher<String> {
        @Override
        public void subscribe(Flow.Subscriber<? super String> subscriber) {
            throw new UnsupportedOperationException("it is declared as a stage");
        }
    }

    @Test
    void result_thatIsMoreThanDeclared_isWhatTheMethodDeclares() {
        CompletionStage<String> stage = bean.twofold();
        assertThat(isHeld("later")).isTrue();
        stage.toCompletableFuture().cancel(true);
        assertThat(isHeld("later")).isFalse();
    }

    @Test
    void lock_isHeldUntilTheStageCompletes_andFreeForWhoeverHearsOfThat() throws Exception {
        CompletionStage<Boolean> heldAfterwards = bean.stage().thenApply(result -> isHeld("later"));
        assertThat(isHeld("later")).isTrue();
        work.complete("done");
        assertThat(heldAfterwards.toCompletableFuture().get(20, SECONDS)).isFalse();
    }

    @ApplicationScoped
    public static class OnAnotherThread {
        @jakarta.ejb.Asynchronous
        @Locked("later")
        public Future<String> future() {
            return work;
        }
    }

    /**
     * The container runs such a method on a thread of its own, and waits for its future when interceptors have
     * returned.
     */
    @Test
    void lock_ofAnAsynchronousEjbMethod_isHeldUntilItsFutureIsDone() throws Exception {
        OnAnotherThread other = redeploy(OnAnotherThread.class);
        CompletableFuture<Future<String>> call = CompletableFuture.supplyAsync(other::future);
        await().until(() -> isHeld("later"));
        await().during(200, MILLISECONDS).until(() -> isHeld("later"));
        assertThat(call).isNotDone();
        work.completeExceptionally(new IllegalArgumentException("on purpose"));
        assertThat(call.get(20, SECONDS)).isSameAs(work);
        assertThat(isHeld("later")).isFalse();
    }

    private <T> T redeploy(Class<T> type) {
        shutDown();
        return deploy(type);
    }

    public static class Typed<T> {
        @Locked("later")
        @SuppressWarnings("unchecked")
        public T inherited() {
            return (T) work;
        }
    }

    @ApplicationScoped
    public static class TypedLater extends Typed<CompletionStage<String>> {}

    @Test
    void stage_inThePlaceOfATypeVariable_holdsTheLockToo() {
        container.close();
        deploy(TypedLater.class).inherited();
        assertThat(isHeld("later")).isTrue();
        work.complete("done");
        assertThat(isHeld("later")).isFalse();
    }

    @Test
    void stage_thatFails_releasesTheLockAndPassesTheFailureOn() {
        CompletableFuture<String> result = bean.future();
        work.completeExceptionally(new UnsupportedOperationException("later"));
        assertThatThrownBy(() -> result.get(20, SECONDS)).hasCauseInstanceOf(UnsupportedOperationException.class);
        assertThat(isHeld("later")).isFalse();
    }

    @Test
    void method_thatThrowsOrReturnsNothing_releasesTheLock() {
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(bean::fail);
        assertThat(isHeld("later")).isFalse();
        assertThat(bean.nothing()).isNull();
        assertThat(isHeld("later")).isFalse();
    }

    @Test
    void cancelledFuture_cancelsTheWorkAndReleasesTheLock() {
        CompletableFuture<String> result = bean.future();
        result.cancel(true);
        assertThat(work).isCancelled();
        assertThat(isHeld("later")).isFalse();
    }

    @Test
    void lostLock_failsTheStageAtOnce_thoughTheWorkGoesOn() {
        CompletableFuture<String> result = bean.future();
        otherProcess.forceRelease("later");
        assertThatThrownBy(() -> result.get(20, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThat(work).isNotDone();
        work.complete("too late");
    }

    @Test
    void lockThatEndsWithItsService_failsTheStage() {
        CompletableFuture<String> result = bean.future();
        container.select(LockConnectionFactory.class).get().close();
        work.complete("unprotected");
        assertThatThrownBy(() -> result.get(20, SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void lostLock_ofAMethodThatMayGoOn_changesNothing() throws Exception {
        CompletableFuture<String> result = bean.goOn();
        otherProcess.forceRelease("later");
        await().pollDelay(1, SECONDS).until(() -> true); // two renewals
        assertThat(result).isNotDone();
        work.complete("done");
        assertThat(result.get(20, SECONDS)).isEqualTo("done");
    }
}
