// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.LeaseLost;
import org.holdfast.cdi.LeaseReleased;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.LockTimedOut;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an application can inject, and which events it receives. */
class InjectionTest extends Application {

    private static final List<String> HEARD = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        HEARD.clear();
    }

    @ApplicationScoped
    public static class Holder {
        @Inject
        private Lease lease;

        @Inject
        private Inner inner;

        @Locked("outer")
        public long token() {
            lease.requireHeld();
            assertThat(lease.remaining()).isPositive();
            assertThat(lease.name()).isEqualTo("outer");
            return lease.token();
        }

        @Locked("outer")
        public void nest() {
            assertThat(inner.name()).isEqualTo("inner");
            assertThat(lease.name()).as("again").isEqualTo("outer");
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(
                            () -> CompletableFuture.supplyAsync(lease::token).join())
                    .withCauseInstanceOf(IllegalStateException.class);
        }

        @Locked("outer")
        public void release() {
            lease.release();
        }

        public long unlocked() {
            return lease.token();
        }
    }

    @ApplicationScoped
    public static class Inner {
        @Inject
        private Lease lease;

        @Locked("inner")
        public String name() {
            return lease.name();
        }
    }

    @SessionScoped
    public static class Passivating implements Serializable {
        private static final long serialVersionUID = 1L;

        @Inject
        private Lease lease;

        @Inject
        private LockConnection connection;
    }

    @Test
    void lease_isThatOfTheInnermostLockedMethodOfTheThread() {
        Holder bean = deploy(Holder.class, new Class<?>[] {Inner.class});
        long first = bean.token();
        assertThat(bean.token()).isGreaterThan(first);
        bean.nest();
        assertThatIllegalStateException()
                .isThrownBy(bean::unlocked)
                .withMessageContaining("in no method that is @Locked");
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(bean::release);
        assertThat(isHeld("outer")).isFalse();
    }

    @Test
    void leaseAndConnection_canBeInjectedIntoPassivatingBeans() {
        deploy(Passivating.class);
    }

    @ApplicationScoped
    public static class ByProgram {
        @Inject
        private LockConnection connection;

        @ActivateRequestContext
        public boolean work() throws InterruptedException {
            connection.acquire("program");
            return isHeld("program");
        }
    }

    @Test
    void connection_isOpenForARequestAndClosedAfterIt() throws Exception {
        ByProgram bean = deploy(ByProgram.class);
        assertThat(bean.work()).isTrue();
        assertThat(isHeld("program")).isFalse();
        assertThat(bean.work()).isTrue();
    }

    @ApplicationScoped
    public static class Own {
        @Produces
        @ApplicationScoped
        Lease lease() {
            return (Lease) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> 42L);
        }
    }

    @Test
    void lease_thatTheApplicationProduces_comesBeforeOurs() {
        Holder bean = deploy(Holder.class, new Class<?>[] {Inner.class, Own.class});
        assertThat(bean.unlocked()).isEqualTo(42);
    }

    @ApplicationScoped
    public static class Working {
        @Locked("events")
        public void work() {
            HEARD.add("works");
        }

        @Locked(value = "events", onBusy = OnBusy.FAIL)
        public void fail() {}

        @Locked(value = "events", onBusy = OnBusy.SKIP)
        public void skip() {}

        @Locked("events")
        public CompletableFuture<String> later() {
            CompletableFuture<String> work = new CompletableFuture<>();
            work.complete("done");
            return work;
        }

        @Locked(value = "events", ttl = "PT1S")
        public void lose() {
            otherProcess.forceRelease("events");
            await().atMost(20, SECONDS).until(() -> HEARD.stream().anyMatch(heard -> heard.startsWith("lost")));
        }
    }

    /** Returns in the very moment after the validity of its lease, when no other thread has checked it. */
    @ApplicationScoped
    public static class Sleeping {
        @Locked(value = "events", ttl = "PT0.2S", scope = LockScope.INVOCATION, onLoss = OnLoss.CONTINUE)
        public void sleep() throws Exception {
            for (var node : redis.all()) {
                node.command("CLIENT PAUSE 500");
            }
            MILLISECONDS.sleep(250);
        }
    }

    @Test
    void event_ofALostLock_comesOnce_whoeverNoticesIt() throws Exception {
        Sleeping bean = deploy(Sleeping.class, new Class<?>[] {Listening.class});
        bean.sleep();
        await().atMost(20, SECONDS).until(() -> HEARD.contains("lost events"));
        assertThat(HEARD).hasSize(2);
    }

    @ApplicationScoped
    public static class Listening {
        void acquired(@Observes LeaseAcquired event) {
            HEARD.add("acquired " + event.names() + " for " + event.method().getName()
                    + (event.token() > 0 && isHeld("events") ? "" : ", too early"));
        }

        void released(@Observes LeaseReleased event) {
            HEARD.add("released " + event.names() + (isHeld("events") ? ", too early" : ""));
        }

        void lost(@Observes LeaseLost event) {
            HEARD.add("lost " + event.loss().name());
        }

        void timedOut(@Observes LockTimedOut event) {
            HEARD.add(
                    (event.skipped() ? "skipped " : "failed ") + event.method().getName());
        }
    }

    @Test
    void events_tellWhatBecomesOfALock() throws Exception {
        Working bean = deploy(Working.class, new Class<?>[] {Listening.class});
        bean.work();
        assertThat(HEARD).containsExactly("acquired [events] for work", "works", "released [events]");
        HEARD.clear();
        bean.later().get(20, SECONDS);
        assertThat(HEARD).containsExactly("acquired [events] for later", "released [events]");

        HEARD.clear();
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("events");
            assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(bean::fail);
            bean.skip();
        }
        assertThat(HEARD).containsExactly("failed fail", "skipped skip");
    }

    @Test
    void event_ofALostLock_comesWhileTheMethodRuns_andNoReleaseAfterIt() {
        Working bean = deploy(Working.class, new Class<?>[] {Listening.class});
        assertThatExceptionOfType(org.holdfast.LeaseLostException.class).isThrownBy(bean::lose);
        assertThat(HEARD).containsExactly("acquired [events] for lose", "lost events");
    }

    @ApplicationScoped
    public static class Throwing {
        void anything(@Observes Record event) {
            HEARD.add(event.getClass().getSimpleName());
            throw new UnsupportedOperationException("on purpose");
        }
    }

    @Test
    void observer_thatThrows_changesNothing() {
        Working bean = deploy(Working.class, new Class<?>[] {Throwing.class});
        bean.work();
        assertThat(HEARD).containsExactly("LeaseAcquired", "works", "LeaseReleased");
        assertThat(isHeld("events")).isFalse();
    }
}
