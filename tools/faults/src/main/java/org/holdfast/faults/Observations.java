// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.holdfast.history.History;
import org.holdfast.history.Hold;
import org.holdfast.history.Kind;
import org.holdfast.history.Write;

/** What all clients of a deployment have reported. */
public final class Observations {

    private final List<Hold> holds = new ArrayList<>();
    private final Map<Integer, Open> open = new HashMap<>();
    private final List<Report.Lost> losses = new ArrayList<>();

    /** Of each client, when the last lock that it got was asked for. */
    private final Map<Integer, Long> lastAsked = new HashMap<>();

    private final Map<Integer, Report.Status> statuses = new HashMap<>();

    /** A hold that its caller is not through with. */
    private static final class Open {
        private final Report.Granted granted;
        private long until;
        private long ended = Long.MAX_VALUE;

        Open(Report.Granted granted) {
            this.granted = granted;
            this.until = granted.until();
        }

        Hold close(long closed) {
            return hold(Math.min(until, ended), closed);
        }

        /** What is certain of it so far. */
        Hold soFar() {
            return hold(Math.min(granted.granted(), until), Long.MAX_VALUE);
        }

        private Hold hold(long end, long closed) {
            return new Hold(
                    granted.caller(),
                    granted.lock(),
                    granted.kind(),
                    granted.permits(),
                    granted.token(),
                    granted.asked(),
                    granted.granted(),
                    end,
                    Math.max(closed, end));
        }
    }

    /** A client has reported. */
    public synchronized void add(int client, Report report) {
        if (report instanceof Report.Granted granted) {
            open.put(granted.caller(), new Open(granted));
            lastAsked.put(client, granted.asked());
        } else if (report instanceof Report.Extended extended) {
            open.get(extended.caller()).until = extended.until();
        } else if (report instanceof Report.Ended ended) {
            open.get(ended.caller()).ended = ended.at();
        } else if (report instanceof Report.Closed closed) {
            holds.add(open.remove(closed.caller()).close(closed.at()));
        } else if (report instanceof Report.Lost lost) {
            losses.add(lost);
            Open held = open.get(lost.caller());
            if (held != null) {
                held.ended = Math.min(held.ended, lost.told());
            }
        } else if (report instanceof Report.Status status) {
            statuses.put(client, status);
        }
        notifyAll();
    }

    /** A client has ended, and reports nothing more. Its holders may have believed in their leases until they ended. */
    public synchronized void gone(int client, LongPredicate isOfThisClient) {
        open.values().removeIf(held -> {
            boolean killed = isOfThisClient.test(held.granted.caller());
            if (killed) {
                holds.add(held.close(Long.MAX_VALUE));
            }
            return killed;
        });
        lastAsked.remove(client);
        notifyAll();
    }

    /** Returns whether a caller of a client has a lock that excludes all others, as far as the client has reported. */
    public synchronized boolean isHolding(LongPredicate isOfThisClient) {
        return open.values().stream()
                .anyMatch(held -> isOfThisClient.test(held.granted.caller()) && held.granted.kind() == Kind.EXCLUSIVE);
    }

    /** Returns how many holds there were. */
    public synchronized long count() {
        return holds.size();
    }

    /** Returns the losses that callers were told of. */
    synchronized List<Report.Lost> losses() {
        return List.copyOf(losses);
    }

    /**
     * Waits until a client got a lock that it had asked for after that moment.
     *
     * @return whether it did in time
     */
    synchronized boolean awaitGrantAfter(int client, long moment, long patienceMillis) throws InterruptedException {
        long deadline = System.nanoTime() + patienceMillis * 1_000_000;
        while (lastAsked.getOrDefault(client, Long.MIN_VALUE) <= moment) {
            if (!waitUntil(deadline)) {
                return false;
            }
        }
        return true;
    }

    /** Waits for the answer to a question; returns null if it does not come in time. */
    synchronized Report.Status awaitStatus(int client, int question, long patienceMillis) throws InterruptedException {
        long deadline = System.nanoTime() + patienceMillis * 1_000_000;
        while (!statuses.containsKey(client) || statuses.get(client).question() != question) {
            if (!waitUntil(deadline)) {
                return null;
            }
        }
        return statuses.get(client);
    }

    private boolean waitUntil(long deadline) throws InterruptedException {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left > 0) {
            wait(left);
        }
        return left > 0;
    }

    /** Returns what is known so far, with these writes. */
    public synchronized History history(List<Write> writes) {
        History history = new History();
        holds.forEach(history::add);
        open.values().forEach(held -> history.add(held.soFar()));
        writes.forEach(history::add);
        return history;
    }
}
