// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Writes the exclusive holds of one lock as EDN, one operation a line, in the form that Knossos reads for its mutex.
 *
 * <p>The operations are {@code :acquire} and {@code :release}; their value is the token. A lease that ended by time is
 * released at its end. A hold whose caller was killed is released at its end too, and it is not known when that took
 * effect: {@code :info}. Callers become processes by their numbers.
 */
public final class EdnWriter {

    private final Appendable out;

    /** What comes later than all that was written. */
    private final PriorityQueue<Operation> pending =
            new PriorityQueue<>(Comparator.comparingLong(Operation::time).thenComparing(Operation::step));

    /** In the order of what comes at one moment: there a lock may end before another caller is told that it has it. */
    private enum Step {
        RELEASE(":type :invoke, :f :release"),
        GRANTED(":type :ok, :f :acquire"),
        RELEASED(":type :ok, :f :release"),
        NEVER_RELEASED(":type :info, :f :release"),
        ACQUIRE(":type :invoke, :f :acquire");

        private final String text;

        Step(String text) {
            this.text = text;
        }
    }

    private record Operation(int caller, Step step, long token, long time) {}

    private EdnWriter(Appendable out) {
        this.out = out;
    }

    /**
     * Writes operation by operation.
     *
     * @throws IOException if that could not be written
     */
    public static void write(History history, String lock, Appendable out) throws IOException {
        List<Hold> holds = history.holds(lock);
        holds.removeIf(hold -> hold.kind() != Kind.EXCLUSIVE);
        holds.sort(Comparator.comparingLong(Hold::asked));
        EdnWriter writer = new EdnWriter(out);
        for (Hold hold : holds) {
            writer.writeUntil(hold.asked());
            writer.add(hold);
        }
        writer.writeUntil(Long.MAX_VALUE);
    }

    /** What a caller does comes at moments of its own, so that it keeps its order. */
    private void add(Hold hold) {
        long granted = Math.max(hold.granted(), hold.asked() + 1);
        long end = Math.max(hold.end(), granted + 1);
        boolean killed = hold.closed() == Long.MAX_VALUE;
        add(hold, Step.ACQUIRE, hold.asked());
        add(hold, Step.GRANTED, granted);
        add(hold, Step.RELEASE, end);
        add(hold, killed ? Step.NEVER_RELEASED : Step.RELEASED, killed ? end : Math.max(hold.closed(), end));
    }

    private void add(Hold hold, Step step, long time) {
        pending.add(new Operation(hold.caller(), step, hold.token(), time));
    }

    private void writeUntil(long time) throws IOException {
        while (!pending.isEmpty() && (pending.peek().time() < time || time == Long.MAX_VALUE)) {
            write(pending.poll());
        }
    }

    private void write(Operation operation) throws IOException {
        out.append("{:process ")
                .append(Integer.toString(operation.caller()))
                .append(", ")
                .append(operation.step().text)
                .append(", :value ")
                .append(operation.step() == Step.ACQUIRE ? "nil" : Long.toString(operation.token()))
                .append(", :time ")
                .append(Long.toString(operation.time()))
                .append("}\n");
    }
}
