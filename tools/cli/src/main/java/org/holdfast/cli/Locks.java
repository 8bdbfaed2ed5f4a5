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

    /** @param nodeCount how many nodes were asked */
    static void print(List<LockState> locks, int nodeCount, PrintWriter out) {
        Table table = new Table(
                "LOCK",
                "MODE",
                "PERMITS",
                "HOST",
                "PID",
                "THREAD",
                "SINCE",
                "TOKEN",
                "ENDS IN",
                "NODES",
                "IN LINE",
                "LISTENING");
        locks.forEach(lock -> {
            lock.holders().forEach(holder -> add(lock, holder, nodeCount, table));
            if (lock.holders().isEmpty()) {
                table.row(
                        Table.cell(lock.name()),
                        NONE,
                        permits(lock),
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        lock.inLine(),
                        lock.listening());
            }
        });
        table.print(out);
    }

    private static void add(LockState lock, LockHolder holder, int nodeCount, Table table) {
        table.row(
                Table.cell(holder.name()),
                holder.mode(),
                permits(lock),
                Table.cell(holder.host()),
                holder.pid(),
                Table.cell(holder.thread()),
                holder.since(),
                holder.token(),
                holder.remaining().toMillis() + " ms",
                holder.nodeCount() + " of " + nodeCount,
                lock.inLine(),
                lock.listening());
    }

    /** Returns how many permits a semaphore has, as far as that is known. */
    static String permits(LockState lock) {
        return lock.request().permits() == 0
                ? NONE
                : String.valueOf(lock.request().permits());
    }
}
