// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.holdfast.LeaseLostException;
import org.holdfast.LockException;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.session.LockSession;
import org.holdfast.protocol.session.Transactions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What comes by the thousand is one line a second with a count, and what is one event is one line. */
class QuietLogTest {

    private static final int MANY = 10_000;

    private final ProtocolFixture fixture = new ProtocolFixture(3);
    private final ManyTransactions transactions = new ManyTransactions();
    private final LockSession inTransactions = fixture.session(transactions);
    private final LogLines log = LogLines.of("org.holdfast.protocol");

    /** Each lease has a transaction of its own. */
    private static final class ManyTransactions implements Transactions {
        private final List<Completion> begun = new ArrayList<>();
        private int number;

        @Override
        public Object current() {
            return number;
        }

        @Override
        public boolean mayCommit() {
            return true;
        }

        @Override
        public Binding bind(Completion completion) {
            begun.add(completion);
            number++;
            return Binding.SILENT;
        }
    }

    private interface Trouble {
        void happens(int times) throws Exception;
    }

    @BeforeEach
    void answerAtOnce() {
        for (int node = 0; node < 3; node++) {
            fixture.nodes.latency(node, 0);
            fixture.service.latency(node, 0);
        }
    }

    @AfterEach
    void listenNoMore() {
        log.close();
    }

    private void assertOneLineASecond(String number, Trouble trouble) throws Exception {
        trouble.happens(MANY);
        assertThat(log.beginningWith(number)).singleElement().asString().doesNotContain("not logged");
        fixture.time.passMillis(1_000);
        trouble.happens(1);
        assertThat(log.beginningWith(number))
                .hasSize(2)
                .last()
                .asString()
                .endsWith("(and 9999 like it that were not logged)");
    }

    private LockRequest request(int number) {
        return LockRequest.of("a" + number)
                .waitTimeout(Duration.ZERO)
                .ttl(Duration.ofMillis(ProtocolFixture.TTL_MILLIS));
    }

    private void loseWithListeners(int count) throws InterruptedException {
        LockSession session = fixture.session(Transactions.NONE);
        for (int i = 0; i < count; i++) {
            new NodesConnection(session, fixture.nodes).acquire(request(i)).onLost(loss -> {
                throw new UnsupportedOperationException("on purpose");
            });
        }
        fixture.engine.clockStoodStill(1);
        fixture.runNotifications();
    }

    @Test
    void losses_byTheThousand_areOneLineASecondWithACount() throws Exception {
        assertOneLineASecond("HF0209", this::loseWithListeners);
    }

    @Test
    void listenersThatFail_byTheThousand_areOneLineASecondWithACount() throws Exception {
        assertOneLineASecond("HF0212", this::loseWithListeners);
    }

    @Test
    void listener_thatFailsWithAnError_isLogged() throws Exception {
        new NodesConnection(inTransactions, fixture.nodes).acquire(request(0)).onLost(loss -> {
            throw new NoClassDefFoundError("on purpose");
        });
        fixture.engine.clockStoodStill(1);
        fixture.runNotifications();
        assertThat(log.beginningWith("HF0212")).hasSize(1);
    }

    @Test
    void listenersWithoutAThread_byTheThousand_areOneLineASecondWithACount() throws Exception {
        fixture.threads = task -> {
            throw new RejectedExecutionException("no thread");
        };
        assertOneLineASecond("HF0211", this::loseWithListeners);
    }

    /** The threads that were lent to them call none. */
    @Test
    void listenersThatKeepOthersWaiting_areLogged() throws Exception {
        LockSession session = fixture.session(Transactions.NONE);
        for (int i = 0; i < 30; i++) {
            new NodesConnection(session, fixture.nodes).acquire(request(i)).onLost(loss -> {});
        }
        fixture.engine.clockStoodStill(1);
        for (int i = 0; i < 49; i++) {
            fixture.engine.sweep();
        }
        assertThat(log.beginningWith("HF0211")).isEmpty();
        fixture.engine.sweep();
        assertThat(log.beginningWith("HF0211"))
                .singleElement()
                .asString()
                .contains("30 listeners of losses wait for a thread: all 24 are busy");
        fixture.runNotifications();
    }

    private void takeInTransactions(int count) throws InterruptedException {
        transactions.begun.clear();
        for (int i = 0; i < count; i++) {
            new NodesConnection(inTransactions, fixture.nodes).acquire(request(i));
        }
    }

    @Test
    void commitsThatNoNodeLetsPass_byTheThousand_areOneLineASecondWithACount() throws Exception {
        fixture.service.node(0, new Reply.NotSent("refused")).node(1, new Reply.NotSent("refused"));
        assertOneLineASecond("HF0210", times -> {
            takeInTransactions(times);
            fixture.time.passMillis(700);
            transactions.begun.forEach(transaction -> assertThatExceptionOfType(LockException.class)
                    .isThrownBy(transaction::confirm)
                    .withMessageContaining("about to end"));
        });
    }

    @Test
    void lossInATransaction_isOneLineThoughItsCommitFailsToo() throws Exception {
        takeInTransactions(1);
        fixture.engine.clockStoodStill(1);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(transactions.begun.get(0)::confirm);
        assertThat(log.beginningWith("HF0")).singleElement().asString().startsWith("HF0209");
    }
}
