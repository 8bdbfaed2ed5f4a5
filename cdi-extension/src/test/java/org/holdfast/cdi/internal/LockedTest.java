// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.util.concurrent.CompletableFuture;
import org.holdfast.LeaseLostException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockTimeoutException;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;

/** Calls of locked methods, on real nodes: each bean returns whether its lock is held while it works. */
class LockedTest extends Application {

    @ApplicationScoped
    public static class OnMethod {
        @Locked("on-method-#{id}")
        public boolean work(String id) {
            return isHeld("on-method-" + id);
        }

        public boolean unlocked() {
            return isHeld("on-method-1");
        }

        @Locked("on-method-#{id}")
        public void fail(String id) {
            throw new UnsupportedOperationException(id);
        }

        @Locked(value = "on-method-#{id}", waitTimeout = "PT0.2S")
        public boolean impatient(String id) {
            return true;
        }
    }

    @Test
    void call_ofLockedMethod_holdsTheLockJustSoLong() {
        OnMethod bean = deploy(OnMethod.class);
        assertThat(bean.work("1")).isTrue();
        assertThat(isHeld("on-method-1")).isFalse();
        assertThat(bean.unlocked()).isFalse();
    }

    @Test
    void call_thatThrows_passesTheExceptionOnAndReleases() {
        OnMethod bean = deploy(OnMethod.class);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> bean.fail("2"));
        assertThat(isHeld("on-method-2")).isFalse();
    }

    @Test
    void call_whileAnotherHoldsTheLock_timesOutAndDoesNotRun() throws Exception {
        OnMethod bean = deploy(OnMethod.class);
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("on-method-3");
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> bean.impatient("3"))
                    .withMessageContaining("200 ms");
        }
    }

    @Test
    void call_interruptedWhileWaiting_failsAndKeepsTheInterrupt() throws Exception {
        OnMethod bean = deploy(OnMethod.class);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        try (LockConnection connection = otherProcess.getConnection()) {
            connection.acquire("on-method-4");
            Thread waiter = new Thread(() -> {
                try {
                    bean.work("4");
                    interrupted.complete(false);
                } catch (RuntimeException e) {
                    interrupted.complete(Thread.currentThread().isInterrupted());
                }
            });
            waiter.start();
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait(); // until it waits between two attempts
            }
            waiter.interrupt();
            assertThat(interrupted.get(10, SECONDS)).isTrue();
        }
    }

    @Test
    void call_withNullInTheName_doesNotRun() {
        OnMethod bean = deploy(OnMethod.class);
        assertThatIllegalArgumentException().isThrownBy(() -> bean.work(null)).withMessageContaining("#{id}");
    }

    @Test
    void types_thatAContainerShowsTwice_areUnderstoodOnce() {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension() {})
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, OnMethod.class)
                .initialize();
        OnMethod bean = container.select(OnMethod.class).get();
        assertThat(bean.work("7")).isTrue();
        assertThat(isHeld("on-method-7")).isFalse();
    }

    @ApplicationScoped
    public static class Called {
        private static volatile boolean heldWhileObserving;

        @Locked("observing-#{event}")
        void on(@Observes StringBuilder event) {
            heldWhileObserving = isHeld("observing-" + event);
        }

        @Produces
        @Locked("producing")
        Boolean produce() {
            return isHeld("producing");
        }
    }

    @Test
    void methodsThatTheContainerCalls_forEventsAndProducts_areLocked() {
        deploy(Called.class);
        container.getBeanManager().getEvent().fire(new StringBuilder("x"));
        assertThat(Called.heldWhileObserving).isTrue();
        assertThat(container.select(Boolean.class).get()).isTrue();
    }

    @SessionScoped
    public static class Passivating implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        @Locked("passivating")
        public void work() {}
    }

    @Test
    void deployment_withPassivatingBean_isAccepted() {
        deploy(Passivating.class);
    }

    @ApplicationScoped
    static class OtherFactory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return connect();
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class AlternativeFactory extends OtherFactory {
        @Produces
        @ApplicationScoped
        @Override
        LockConnectionFactory locks() {
            return super.locks();
        }
    }

    @Test
    void deployment_withTwoFactories_isRefusedUnlessOneIsAnAlternative() {
        Weld ambiguous = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, OtherFactory.class, OnMethod.class);
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(ambiguous::initialize)
                .withMessageContaining("several beans of type LockConnectionFactory");

        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, AlternativeFactory.class, OnMethod.class)
                .initialize();
        assertThat(container.select(OnMethod.class).get().work("5")).isTrue();
    }

    @ApplicationScoped
    public static class Losing {
        @Locked(value = "losing", ttl = "PT0.3S")
        public void work() throws Exception {
            for (var node : redis.all()) {
                node.command("CLIENT PAUSE 900");
            }
            SECONDS.sleep(1); // longer than the TTL, while no node answers
        }
    }

    @Test
    void call_whoseLeaseIsLostWithoutATransaction_tellsTheCaller() {
        Losing bean = deploy(Losing.class);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(bean::work)
                .withMessageContaining("'losing'");
    }

    @ApplicationScoped
    public static class NoFactoryNeeded {
        @Locked("a")
        public boolean work() {
            return true;
        }
    }

    @Test
    void call_withoutAnyFactory_isRefused() {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClass(NoFactoryNeeded.class)
                .initialize();
        NoFactoryNeeded bean = container.select(NoFactoryNeeded.class).get();
        assertThatIllegalStateException().isThrownBy(bean::work).withMessageContaining("java:/eis/holdfast");
    }
}
