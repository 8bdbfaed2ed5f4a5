// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.lease.Holder;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;

/** What a caller learns from another one that waits for the same lock. */
class AttemptsTest {

    private final ProtocolFixture fixture = new ProtocolFixture(3);

    /** The head of a line asks seldom: what it found may be from before an outage. */
    private Attempts headThatFoundTheLockHeld() {
        for (int node = 0; node < 3; node++) {
            fixture.service.node(node, new Reply.Held(30_000));
        }
        Attempts head = fixture.requests.begin(fixture.request(60_000), Holder.transaction("head"));
        head.enter(() -> {});
        assertThat(head.next(fixture.service)).isNull();
        fixture.time.passMillis(10);
        return head;
    }

    @Test
    void acquire_behindAWaiterThatAskedBeforeAnOutage_reportsTheOutage() throws Exception {
        Attempts head = headThatFoundTheLockHeld();
        for (int node = 0; node < 2; node++) {
            fixture.service.node(node, new Reply.NoAnswer("it hangs"));
        }
        AcquireResult done =
                fixture.acquirer.acquire(fixture.nodes, fixture.request(100), List.of(Holder.thread()), () -> {});
        assertThat(done).isInstanceOf(AcquireResult.Unavailable.class);
        head.place().leave(null);
    }

    @Test
    void acquire_behindAWaiterThatAskedSince_asksNothing() throws Exception {
        Attempts head = headThatFoundTheLockHeld();
        Attempts behind = fixture.requests.begin(fixture.request(100), Holder.transaction("behind"));
        behind.enter(() -> {});
        assertThat(behind.knowsNothing()).isTrue();
        fixture.time.passMillis(10);
        assertThat(head.next(fixture.service)).isNull();
        assertThat(behind.knowsNothing()).isFalse();
        assertThat(behind.givenUp()).isInstanceOf(AcquireResult.TimedOut.class);
        behind.place().leave(null);
        head.place().leave(null);
    }
}
