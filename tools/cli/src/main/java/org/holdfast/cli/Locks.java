// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.List;
import org.holdfast.LockHolder;
import org.holdfast.LockState;

/** Locks as rows of a table: one for each holder. */
final class Locks {

    private static final String NONE = "-";

    private Locks() {}

    static void print(List<LockState> locks, PrintWriter out) {
        Table table = new Table(
                "LOCK", "MODE", "HOST", "PID", "THREAD", "SINCE", "TOKEN", "ENDS IN", "NODES", "IN LINE", "LISTENING");
        locks.forEach(lock -> {
            lock.holders().forEach(holder -> add(lock, holder, table));
            if (lock.holders().isEmpty()) {
                table.row(
                        lock.name(), "free", NONE, NONE, NONE, NONE, NONE, NONE, NONE, lock.inLine(), lock.listening());
            }
        });
        table.print(out);
    }

    private static void add(LockState lock, LockHolder holder, Table table) {
        table.row(
                holder.name(),
                holder.mode(),
                holder.host(),
                holder.pid(),
                holder.thread(),
                holder.since(),
                holder.token(),
                holder.remaining().toMillis() + " ms",
                holder.nodeCount(),
                lock.inLine(),
                lock.listening());
    }
}
