// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
import org.holdfast.protocol.node.LogText;
import org.holdfast.protocol.node.NodeSet;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.ProcessInfo;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.Tally;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;
import org.holdfast.protocol.waiting.LockFailures;

/**
 * What operators do: they see the holders of a lock, in whichever process, and take it away.
 *
 * <p>What nodes report of holders is shown and not relied upon. Safe for use by any number of threads.
 */
public final class LockAdmin {

    /** Has one line for each lock that was taken away. */
    private static final System.Logger AUDIT = System.getLogger("org.holdfast.audit");

    private static final String ANOTHER = "another holder";
    private static final int MOST_OF_REASON = 200;

    private static final Comparator<LockHolder> ORDER = Comparator.comparing(LockHolder::name)
            .thenComparing(LockHolder::token)
            .thenComparing(LockHolder::host)
            .thenComparing(LockHolder::pid)
            .thenComparing(LockHolder::thread);

    private final Time time;
    private final Timing timing;
    private final TokenClock tokens;
    private final HeldLocks heldLocks;
    private final ProcessInfo processInfo;
    private final StopFlag stopFlag;
    private final Nodes ownNodes;

    /** @param ownNodes through which a holder is asked for where the caller has none any more */
    public LockAdmin(
            Time time,
            Timing timing,
            TokenClock tokens,
            HeldLocks heldLocks,
            ProcessInfo processInfo,
            StopFlag stopFlag,
            Nodes ownNodes) {
        this.time = time;
        this.timing = timing;
        this.tokens = tokens;
        this.heldLocks = heldLocks;
        this.processInfo = processInfo;
        this.stopFlag = stopFlag;
        this.ownNodes = ownNodes;
    }

    /** As {@link org.holdfast.LockOperations#holders(LockRequest)}. */
    public List<LockHolder> holders(Nodes nodes, LockRequest request) {
        List<Target> locks = LockShape.targets(request);
        return described(request, locks, ask(nodes, request, new Command.Inspect(locks)));
    }

    /**
     * As {@link org.holdfast.LeaseLock#isLocked()}. A holder that a minority reports does not have the lock, unless
     * enough nodes have not answered that the rest of its majority may be among these.
     */
    boolean isLocked(Nodes nodes, LockRequest request) {
        if (isHeldHere(request)) {
            return true;
        }
        Survey survey = ask(nodes, request, new Command.Inspect(LockShape.targets(request)));
        int silent = nodes.count() - survey.lastTokens().size();
        int quorum = nodes.count() / 2 + 1;
        return survey.holderEntries().values().stream()
                .anyMatch(seen -> seen.nodes().size() + silent >= quorum);
    }

    private boolean isHeldHere(LockRequest request) {
        long now = time.nanoTime();
        return request.names().stream()
                .flatMap(name -> heldLocks.of(name).stream())
                .anyMatch(heldLock -> heldLock.claim().target().isAmong(request.permits()) && heldLock.isHeld(now));
    }

    /** Returns how many holders a majority of the nodes knows. */
    int countHolders(LockRequest request) {
        return (int) holders(ownNodes, request).stream().filter(this::isReal).count();
    }

    /** A holder that a minority reports is just asking, or has released or lost the lock. */
    private boolean isReal(LockHolder holder) {
        return holder.nodeCount() >= ownNodes.count() / 2 + 1;
    }

    /**
     * Describes the holder that a caller has waited for in vain, as far as the nodes know one now. Takes a node timeout
     * at the most.
     */
    String describeHolder(LockRequest request) {
        List<LockHolder> holders;
        try {
            holders = holders(ownNodes, request);
        } catch (RuntimeException e) { // the caller is to receive that it timed out
            return ANOTHER;
        }
        List<LockHolder> real = holders.stream()
                .filter(each -> isReal(each) && !each.host().equals(LockHolder.UNKNOWN))
                .toList();
        return real.isEmpty() ? ANOTHER : describeOwner(real.get(0)) + (real.size() > 1 ? ", and others" : "");
    }

    /**
     * As {@link org.holdfast.LockOperations#forceRelease(LockRequest, String)}.
     *
     * <p>Two rounds: every quorum knows the token of the holder, and the second round is sent with a larger one. A node
     * that does not know the holder refuses it from then on as well.
     */
    public List<LockHolder> forceRelease(Nodes nodes, LockRequest request, String reason) {
        List<Target> locks = LockShape.targets(request);
        Survey before = ask(nodes, request, new Command.Inspect(locks));
        if (before.holderEntries().isEmpty()) {
            audit(request, reason, "no holder had it");
            return List.of();
        }
        tokens.observe(toExceed(request, before.lastTokens(), nodes));
        long token = tokens.next(0);
        Survey gone;
        try {
            gone = ask(nodes, request, forcedRelease(locks, token));
        } catch (QuorumUnavailableException e) {
            audit(request, reason, "on some nodes perhaps, " + e.getMessage());
            loseOwn(request, token);
            throw e;
        }
        List<LockHolder> holders = described(request, locks, gone);
        audit(request, reason, holders.stream().map(LockAdmin::describe).collect(Collectors.joining("; ")));
        loseOwn(request, token);
        return holders;
    }

    private Command forcedRelease(List<Target> locks, long token) {
        long fenceMillis = timing.fenceMillis(timing.maxLeaseTtl().toMillis());
        return new Command.ForceRelease(locks, token, fenceMillis, timing.maxSkewMicros());
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

    /** @param lastTokens what each node that answered has on record, the smallest first */
    private record Survey(List<Long> lastTokens, Map<Written, Seen> holderEntries) {}

    /** Asks every node, and waits for each of them: one alone may know a holder. */
    private Survey ask(Nodes nodes, LockRequest request, Command command) {
        stopFlag.requireOpen();
        nodes.requireTogether(request.names());
        nodes.prepare();
        long started = time.nanoTime();
        long deadline = started + timing.nodeTimeout().toNanos();
        Tally tally = new Tally(nodes.count());
        Map<Written, Seen> holderEntries = new TreeMap<>();
        List<Long> lastTokens = new ArrayList<>();
        Round round = nodes.send(command, NodeSet.first(nodes.count()));
        Answer answer;
        while ((answer = round.next(deadline)) != null) {
            tally.count(answer);
            if (answer.reply() instanceof Reply.Seen seen) {
                lastTokens.add(seen.lastToken());
                note(answer.node(), seen.holderEntries(), holderEntries);
            }
        }
        round.leave(late -> {});
        if (tally.isTokenSkewed()) { // the clock of this machine is wrong; nothing has changed on the nodes
            tokens.forget();
            throw LockFailures.clockSkewed(request);
        }
        if (!tally.isAcknowledged()) {
            Duration waited = Duration.ofNanos(time.nanoTime() - started);
            throw new QuorumUnavailableException(request.name(), nodes.count(), waited, tally.failures(nodes));
        }
        Collections.sort(lastTokens);
        return new Survey(lastTokens, holderEntries);
    }

    /**
     * Returns the token to exceed, so that a quorum removes every holder. The other nodes do so too if the tokens they
     * report are such as a client with a right clock may have proposed. One node alone must not decide the result: only
     * as many nodes as form no quorum can lack the holder's token, so the first token after theirs, in order of size,
     * is at least as large as the holder's.
     *
     * @throws LockException if that token is so far ahead that it must not be followed: a smaller one would remove no
     *     holder
     */
    private long toExceed(LockRequest request, List<Long> lastTokens, Nodes nodes) {
        int quorum = nodes.count() / 2 + 1;
        long enough = lastTokens.size() < quorum ? 0 : lastTokens.get(quorum - 1);
        long now = time.epochMicros();
        long farthest = now + timing.maxTokenLeadMicros();
        if (enough > farthest) {
            throw new LockException("HF0216: lock '" + request.name()
                    + "' cannot be released by force: its last token on"
                    + " record is " + TimeUnit.MICROSECONDS.toSeconds(enough - now) + " s ahead of the clock of this"
                    + " machine; set that clock right, or wait until the holder's lease has ended and the fence retention"
                    + " is over");
        }
        return lastTokens.stream().filter(token -> token <= farthest).reduce(enough, Math::max);
    }

    private static void note(int node, List<HolderEntry> told, Map<Written, Seen> holderEntries) {
        for (HolderEntry each : told) {
            holderEntries.merge(
                    new Written(each.lock(), each.value()),
                    new Seen(each.reads(), each.remainingMillis(), NodeSet.of(node)),
                    Seen::and);
        }
    }

    private List<LockHolder> described(LockRequest request, List<Target> locks, Survey survey) {
        return survey.holderEntries().entrySet().stream()
                .filter(each -> each.getKey().lock() < locks.size()) // a faulty node may make up an index
                .map(each -> holder(
                        LockShape.of(request),
                        locks.get(each.getKey().lock()).name(),
                        each.getKey().value(),
                        each.getValue()))
                .sorted(ORDER)
                .toList();
    }

    private LockHolder holder(LockShape asked, String name, String value, Seen seen) {
        HeldLock own = heldLocks.find(
                name, heldLock -> heldLock.claim().owner().value().equals(value));
        HolderInfo holderInfo = own == null ? HolderInfo.of(value) : own.holderInfo();
        boolean reads = seen.reads() || own != null && own.isReading();
        return new LockHolder(
                name,
                asked.found(reads, holderInfo.mode()),
                holderInfo.where().host(),
                holderInfo.where().pid(),
                holderInfo.thread(),
                Instant.ofEpochMilli(holderInfo.sinceMillis()),
                holderInfo.token(),
                Duration.ofMillis(seen.remainingMillis()),
                seen.nodes().size(),
                own != null);
    }

    /**
     * Holders of this process lose the lock at once, and not only at their next renewal. A holder that came later has a
     * larger token.
     */
    private void loseOwn(LockRequest request, long token) {
        Predicate<HeldLock> meant = heldLock -> heldLock.claim().target().isAmong(request.permits())
                && heldLock.claim().lastToken() < token;
        for (String name : request.names()) {
            heldLocks.of(name).stream()
                    .filter(meant)
                    .forEach(heldLock ->
                            heldLock.lose("an operator released lock '" + name + "' by force", time.nanoTime()));
        }
    }

    private void audit(LockRequest request, String reason, String removed) {
        AUDIT.log(
                System.Logger.Level.WARNING,
                LogText.line("HF0214: forced release of '" + String.join("', '", request.names())
                        + "', asked for by thread '" + Thread.currentThread().getName() + "' of process "
                        + processInfo.pid()
                        + " on host " + processInfo.host() + because(reason) + "; removed: " + removed));
    }

    private static String because(String reason) {
        return reason.isBlank()
                ? ""
                : ", because: '" + reason.substring(0, Math.min(reason.length(), MOST_OF_REASON)) + "'";
    }

    private static String describe(LockHolder holder) {
        return holder.mode() + " '" + holder.name() + "' held by " + describeOwner(holder);
    }

    private static String describeOwner(LockHolder holder) {
        return "'" + holder.thread() + "' of process " + holder.pid() + " on host " + holder.host() + " since "
                + holder.since() + " with token " + holder.token() + ", on " + holder.nodeCount()
                + (holder.nodeCount() == 1 ? " node" : " nodes");
    }
}
