// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.protocol.NodesConnection;
import org.holdfast.protocol.ProtocolFixture;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.Command;

/** A session whose thread has a transaction when a test says so, over three scripted nodes. */
abstract class SessionInTransaction {

    final ProtocolFixture fixture = new ProtocolFixture(3);
    final VirtualTime time = fixture.time;
    final FakeTransactions transactions = new FakeTransactions();
    final TransactionLeases kept = fixture.engine.transactionLeases(transactions);
    final LockSession session = fixture.engine.newSession(kept, ProtocolFixture.DEFAULTS);

    /** One transaction after another, as the test says. */
    static final class FakeTransactions implements Transactions {
        Object current;
        boolean refuses;
        boolean rollbackOnly;
        Runnable whenAsked = () -> {};
        Binding binding = Binding.SILENT;
        final List<Completion> completions = new ArrayList<>();
        private final List<Object> ofWhich = new ArrayList<>();

        @Override
        public Object current() {
            return current;
        }

        @Override
        public boolean mayCommit() {
            whenAsked.run();
            return current != null && !rollbackOnly;
        }

        @Override
        public Binding bind(Completion completion) {
            if (refuses) {
                throw new IllegalStateException("too late");
            }
            completions.add(completion);
            ofWhich.add(current);
            return binding;
        }

        void complete(Object one) {
            int index = ofWhich.indexOf(one);
            ofWhich.remove(index);
            completions.remove(index).completed();
        }

        void complete() {
            current = null;
            completions.forEach(Completion::completed);
            completions.clear();
            ofWhich.clear();
        }
    }

    Lease acquire() throws InterruptedException {
        return new NodesConnection(session, fixture.nodes).acquire(fixture.request(0));
    }

    int releases() {
        return fixture.service.sent(Command.Release.class).size();
    }

    void confirm() {
        transactions.completions.get(0).confirm();
    }

    Lease acquireOfThread() throws InterruptedException {
        return new NodesConnection(session, fixture.nodes)
                .acquire(fixture.request(0).scope(LeaseScope.THREAD));
    }
}
