// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.Tally;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;
import org.holdfast.protocol.waiting.LockFailures;

/**
 * Asks every node about the holders of locks, and puts their answers together. Safe for use by any number of threads.
 */
final class HolderSurvey {

    private static final Comparator<Found> ORDER = Comparator.comparing(
            Found::holder,
            Comparator.comparing(LockHolder::name)
                    .thenComparing(LockHolder::token)
                    .thenComparing(LockHolder::host)
                    .thenComparing(LockHolder::pid)
                    .thenComparing(LockHolder::thread));

    /** Of a command that changes nothing. */
    private static final boolean LOOKS = true;

    private final Time time;
    private final Timing timing;
    private final TokenClock tokens;
    private final HeldLocks heldLocks;
    private final StopFlag stopFlag;

    HolderSurvey(Time time, Timing timing, TokenClock tokens, HeldLocks heldLocks, StopFlag stopFlag) {
        this.time = time;
        this.timing = timing;
        this.tokens = tokens;
        this.heldLocks = heldLocks;
        this.stopFlag = stopFlag;
    }

    /**
     * A holder of a lock.
     *
     * @param lock which it has
     * @param value what is written as its owner
     * @param reads whether it is a reader
     */
    record Found(LockHolder holder, Target lock, String value, boolean reads) {}

    /**
     * What nodes answered.
     *
     * @param lastTokens what each node that answered has on record, the smallest first
     * @param found the holders, sorted by name and token
     */
    record Result(List<Long> lastTokens, List<Found> found) {

        List<LockHolder> holders() {
            return found.stream().map(Found::holder).toList();
        }

        /** Returns whether a node has a token on record: it may keep something of a lease that has ended. */
        boolean mayLinger() {
            return lastTokens.stream().anyMatch(token -> token > 0);
        }
    }

    /**
     * What is written for one lock on some nodes. An owner that reads at one of them and not yet at another is one
     * holder.
     */
    private record Written(int lock, String value) implements Comparable<Written> {
        @Override
        public int compareTo(Written other) {
            return lock == other.lock ? value.compareTo(other.value) : Integer.compare(lock, other.lock);
        }
    }

    private record Seen(boolean reads, long remainingMillis, NodeSet nodes) {
        Seen and(Seen other) {
            return new Seen(
                    reads || other.reads, Math.max(remainingMillis, other.remainingMillis), nodes.and(other.nodes));
        }
    }

    /** What nodes answer about some locks, as it comes. */
    private static final class Answers {
        private final Map<Written, Seen> entries = new TreeMap<>();
        private final List<Long> lastTokens = new ArrayList<>();
        private int unreadable;

        void add(Answer answer) {
            if (answer.reply() instanceof Reply.Seen seen) {
                lastTokens.add(seen.lastToken());
                note(answer.node(), seen.holderEntries(), entries);
            } else if (answer.reply() instanceof Reply.Refused refused && refused.byKeys()) {
                unreadable++;
            }
        }
    }

    /**
     * Sends a command that reports holders.
     *
     * @param locks those of the command, in its order
     */
    Result ask(Nodes nodes, LockRequest request, List<Target> locks, Command command) {
        Answers answers = new Answers();
        send(nodes, request, command, answers::add);
        return result(request, locks, answers);
    }

    private Result result(LockRequest request, List<Target> locks, Answers answers) {
        Collections.sort(answers.lastTokens);
        return new Result(answers.lastTokens, described(LockShape.of(request), locks, answers.entries));
    }

    /**
     * Returns the holders of each lock; nothing for one whose keys another client has written in a way that nodes do
     * not understand: it must not hide the others. All are asked about in one go, so a slow node costs its time once.
     */
    List<Optional<List<LockHolder>>> lookAtEach(Nodes nodes, List<LockRequest> requests) {
        requireReady(nodes, requests);
        List<List<Target>> locks = requests.stream().map(LockShape::targets).toList();
        long started = time.nanoTime();
        List<Round> rounds =
                nodes.sendAll(locks.stream().map(Command.Inspect::new).toList(), NodeSet.first(nodes.count()));
        List<Optional<List<LockHolder>>> holders = new ArrayList<>();
        try {
            for (int i = 0; i < rounds.size(); i++) {
                holders.add(holders(nodes, requests.get(i), locks.get(i), rounds.get(i), started));
            }
        } finally {
            rounds.forEach(round -> round.leave(late -> {}));
        }
        return holders;
    }

    private Optional<List<LockHolder>> holders(
            Nodes nodes, LockRequest request, List<Target> locks, Round round, long started) {
        Answers answers = new Answers();
        try {
            collect(nodes, request, LOOKS, round, started, answers::add);
            return Optional.of(result(request, locks, answers).holders());
        } catch (QuorumUnavailableException e) {
            if (e.failures().size() - answers.unreadable > nodes.count() / 2) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /**
     * Sends a command to every node, and waits for each of them: one alone may know a holder.
     *
     * @throws QuorumUnavailableException if too few nodes answered
     * @throws LockException if the clock of this machine is wrong
     */
    void send(Nodes nodes, LockRequest request, Command command, Consumer<Answer> answers) {
        requireReady(nodes, List.of(request));
        long started = time.nanoTime();
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        try {
            collect(nodes, request, command instanceof Command.Inspect, round, started, answers);
        } finally {
            round.leave(late -> {});
        }
    }

    private void requireReady(Nodes nodes, List<LockRequest> requests) {
        stopFlag.requireOpen();
        requests.forEach(request -> nodes.requireTogether(request.names()));
        nodes.prepare();
    }

    /** @param looks whether the command changes nothing */
    private void collect(
            Nodes nodes, LockRequest request, boolean looks, Round round, long started, Consumer<Answer> answers) {
        long deadline = started + timing.nodeTimeout().toNanos();
        Tally tally = new Tally(nodes.count());
        Answer answer;
        while ((answer = round.next(deadline)) != null) {
            tally.count(answer);
            answers.accept(answer);
        }
        if (tally.isTokenSkewed()) { // the clock of this machine is wrong; nothing has changed on the nodes
            tokens.forget();
            throw LockFailures.clockSkewed(request);
        }
        if (!tally.isAcknowledged()) {
            Duration waited = Duration.ofNanos(time.nanoTime() - started);
            throw looks
                    ? new QuorumUnavailableException(request.name(), nodes.count(), waited, tally.failures(nodes))
                    : QuorumUnavailableException.ofRelease(
                            request.name(), nodes.count(), waited, tally.failures(nodes));
        }
    }

    private static void note(int node, List<HolderEntry> told, Map<Written, Seen> entries) {
        for (HolderEntry each : told) {
            entries.merge(
                    new Written(each.lock(), each.value()),
                    new Seen(each.reads(), each.remainingMillis(), NodeSet.of(node)),
                    Seen::and);
        }
    }

    private List<Found> described(LockShape asked, List<Target> locks, Map<Written, Seen> entries) {
        return entries.entrySet().stream()
                .filter(each -> each.getKey().lock() < locks.size()) // a faulty node may make up an index
                .map(each -> found(
                        asked, locks.get(each.getKey().lock()), each.getKey().value(), each.getValue()))
                .sorted(ORDER)
                .toList();
    }

    private Found found(LockShape asked, Target lock, String value, Seen seen) {
        HeldLock own = heldLocks.find(
                lock.name(), heldLock -> heldLock.claim().owner().value().equals(value));
        HolderInfo holderInfo = own == null ? HolderInfo.of(value) : own.holderInfo();
        boolean reads = seen.reads() || own != null && own.isReading();
        LockHolder holder = new LockHolder(
                lock.name(),
                asked.found(reads, holderInfo.mode()),
                holderInfo.where().host(),
                holderInfo.where().pid(),
                holderInfo.thread(),
                Instant.ofEpochMilli(holderInfo.sinceMillis()),
                holderInfo.token(),
                Duration.ofMillis(seen.remainingMillis()),
                seen.nodes().size(),
                own != null);
        return new Found(holder, lock, value, reads);
    }
}
