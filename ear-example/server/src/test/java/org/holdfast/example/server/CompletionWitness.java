// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * A resource of a transaction that only looks whether a lock is held while the transaction's resources commit or roll
 * back. Between its look and the end of the transaction nothing happens but callbacks. The database, which knows one
 * phase, has committed before.
 */
final class CompletionWitness implements XAResource {

    private final BooleanSupplier held;
    private final List<String> seen = new CopyOnWriteArrayList<>();

    CompletionWitness(BooleanSupplier held) {
        this.held = held;
    }

    /** Returns how the transaction went, and whether the lock was held then. */
    List<String> seen() {
        return seen;
    }

    private void see(String outcome) {
        seen.add(outcome + (held.getAsBoolean() ? ", held" : ", free"));
    }

    @Override
    public void commit(Xid xid, boolean onePhase) {
        see("committed");
    }

    @Override
    public void rollback(Xid xid) {
        see("rolled back");
    }

    @Override
    public int prepare(Xid xid) {
        return XA_OK;
    }

    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public void forget(Xid xid) {}

    @Override
    public Xid[] recover(int flag) {
        return new Xid[0];
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }
}
