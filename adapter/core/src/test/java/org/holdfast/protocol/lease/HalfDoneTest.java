// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.holdfast.LeaseLoss;
import org.holdfast.LockRequest;
import org.holdfast.protocol.LockEngine;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.ScriptedNodes;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.env.Recorder;
import org.holdfast.protocol.env.WakeUp;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.session.Transactions;
import org.holdfast.protocol.waiting.AcquireResult;
import org.junit.jupiter.api.Test;

/**
 * What this process leaves half done when something fails in its midst, as where there is no memory: no lease is
 * forgotten by renewals, and no lock is kept for ever.
 */
class HalfDoneTest {

    private static final long TTL = ProtocolFixture.TTL_MILLIS;

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final VirtualTime time = fixture.time;
    private final ScriptedNodes service = fixture.service;

    private static final class NoMemory extends Error {
        private static final long serialVersionUID = 1;
    }

    private static void fails(ThrowingCallable what) {
        assertThatExceptionOfType(NoMemory.class).isThrownBy(what);
    }

    private static LockRequest named(String name) {
        return LockRequest.of(name).waitTimeout(Duration.ZERO).ttl(Duration.ofMillis(TTL));
    }

    private NodesConnection connection(LockEngine engine) {
        return new NodesConnection(fixture.session(engine, Transactions.NONE), fixture.nodes);
    }

    private int renewals() {
        return service.sent(Command.Renew.class).size() / 3;
    }

    @Test
    void lease_thatASweepHadTaken_whenItFailed_isRenewedByTheNext() throws Exception {
        Recorder failing = new Recorder() {
            @Override
            public void lost(LeaseLoss loss) {
                throw new NoMemory();
            }
        };
        LockEngine engine = new LockEngine(
                new LockEngine.Environment(time, fixture.randomness, failing, new ProcessInfo("test-host", 42)),
                fixture.timing,
                fixture.unfinished,
                new LockEngine.Connections(service, service, fixture.notifications),
                new LockEngine.Threads(Runnable::run, Runnable::run, WakeUp.NONE));
        NodesConnection connection = connection(engine);
        connection.acquire(named("renewed"));
        connection.acquire(named("lost").fixedTtl(Duration.ofMillis(450)));
        time.passMillis(460); // the first is due, and the second is over
        fails(engine::renew);
        assertThat(renewals()).isZero();
        engine.renew();
        assertThat(renewals()).isOne();
    }

    @Test
    void lock_thatCannotBeRegistered_isNotRenewed_andTakenOffTheBooksWhenItEnds() {
        fixture.whenDue = nanos -> {
            throw new NoMemory();
        };
        fails(() -> connection(fixture.engine).acquire(named("a")));
        fixture.whenDue = fixture.wakeUps::add;
        for (int i = 0; i < 10; i++) {
            fixture.engine.renew();
            time.passMillis(TTL / 5);
        }
        fixture.engine.renew();
        assertThat(renewals()).isZero();
        assertThat(fixture.heldLocks.size()).isZero();
    }

    @Test
    void loss_isReported_thoughTheLogFails() throws Exception {
        Handler failing = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                throw new AssertionError("on purpose");
            }
        };
        Logger log = Logger.getLogger(Losses.class.getName());
        HeldLock held = ((AcquireResult.Held)
                        fixture.acquire(fixture.nodes, fixture.request(0), List.of(Holder.thread())))
                .heldLock();
        time.passMillis(2 * ProtocolFixture.TTL_MILLIS);
        log.addHandler(failing);
        try {
            assertThat(fixture.leases.isHeld(held)).isFalse();
        } finally {
            log.removeHandler(failing);
        }
        assertThat(held.loss()).isNotNull();
    }
}
