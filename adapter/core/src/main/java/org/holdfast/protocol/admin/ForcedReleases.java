// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.lease.Handoff;
import org.holdfast.protocol.lease.HeldLock;
import org.holdfast.protocol.lease.HeldLocks;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.LockShape;
import org.holdfast.protocol.node.Nodes;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.protocol.quorum.TokenClock;

/**
 * Takes locks away from their holders, in whichever process.
 *
 * <p>Two rounds: every quorum knows the token of the holder, and the second round is sent with a larger one. A node
 * that does not know the holder refuses it from then on as well. Safe for use by any number of threads.
 */
final class ForcedReleases {

    private final Time time;
    private final Timing timing;
    private final TokenClock tokens;
    private final HeldLocks heldLocks;
    private final HolderSurvey survey;
    private final ReleaseAudit audit;

    ForcedReleases(
            Time time, Timing timing, TokenClock tokens, HeldLocks heldLocks, HolderSurvey survey, ReleaseAudit audit) {
        this.time = time;
        this.timing = timing;
        this.tokens = tokens;
        this.heldLocks = heldLocks;
        this.survey = survey;
        this.audit = audit;
    }

    /**
     * Releases a lock.
     *
     * <p>A lock without a holder is released as well, unless one holder is meant: after a lease that has ended its key
     * lingers, and keeps others out for up to the longest TTL. Nodes that know nothing of the lock are not told, and
     * stay as they are.
     *
     * @param meant the token of the only holder that is meant; empty for all
     * @return the holders that were removed
     */
    List<LockHolder> release(Nodes nodes, LockRequest request, OptionalLong meant, String reason) {
        List<Target> locks = LockShape.targets(request);
        HolderSurvey.Result before = survey.ask(nodes, request, locks, new Command.Inspect(locks));
        List<HolderSurvey.Found> aimedAt = meant.isEmpty() ? before.found() : withToken(before, meant.getAsLong());
        ReleaseAudit.Entry entry = audit.entry(request, meant, reason);
        if (aimedAt.isEmpty() && (meant.isPresent() || !before.mayLinger())) {
            entry.nothingRemoved(before.holders());
            return List.of();
        }
        tokens.observe(toExceed(request, before.lastTokens(), nodes));
        long token = tokens.next(0);
        entry.begins(aimedAt.stream().map(HolderSurvey.Found::holder).toList());
        try {
            List<LockHolder> gone = meant.isEmpty()
                    ? survey.ask(nodes, request, locks, forced(locks, token, Optional.empty()))
                            .holders()
                    : releaseEach(nodes, request, aimedAt, token);
            entry.removed(gone, !aimedAt.isEmpty());
            loseOwn(request, meant.isEmpty() ? before(token) : among(aimedAt));
            return gone;
        } catch (QuorumUnavailableException e) {
            entry.perhapsRemoved(e);
            loseOwn(request, meant.isEmpty() ? before(token) : among(aimedAt));
            throw e;
        } catch (RuntimeException e) {
            entry.perhapsRemoved(e);
            throw e;
        }
    }

    /**
     * Returns the holders that a token means: those with that token, or else those that nodes know by a smaller one and
     * that may have it by now. Nodes do not learn that a process hands a lock off, with the next of its tokens.
     */
    private static List<HolderSurvey.Found> withToken(HolderSurvey.Result before, long token) {
        List<HolderSurvey.Found> exactly = before.found().stream()
                .filter(each -> each.holder().token() == token)
                .toList();
        return exactly.isEmpty()
                ? before.found().stream()
                        .filter(each -> mayHaveHandedOff(each.holder(), token))
                        .toList()
                : exactly;
    }

    /**
     * Only exclusive locks are handed off, and what this process has is known exactly. Of other permits, the tokens may
     * be as near.
     */
    private static boolean mayHaveHandedOff(LockHolder holder, long token) {
        return holder.mode() == LockMode.EXCLUSIVE
                && !holder.here()
                && holder.token() > 0
                && token > holder.token()
                && token <= holder.token() + Handoff.MOST;
    }

    private Command forced(List<Target> locks, long token, Optional<Owner> holder) {
        return new Command.ForceRelease(locks, token, fenceMillis(), timing.maxSkewMicros(), holder);
    }

    private long fenceMillis() {
        return timing.fenceMillis(timing.maxLeaseTtl().toMillis());
    }

    private List<LockHolder> releaseEach(
            Nodes nodes, LockRequest request, List<HolderSurvey.Found> holders, long token) {
        List<LockHolder> gone = new ArrayList<>();
        for (HolderSurvey.Found each : holders) {
            if (each.reads()) {
                endReading(nodes, request, each).ifPresent(gone::add);
            } else {
                List<Target> lock = List.of(each.lock());
                Command command = forced(lock, token, Optional.of(new Owner(each.value())));
                gone.addAll(survey.ask(nodes, request, lock, command).holders());
            }
        }
        return gone;
    }

    /** Other readers keep the lock: so the lease of this one is released as it would release it. */
    private Optional<LockHolder> endReading(Nodes nodes, LockRequest request, HolderSurvey.Found reader) {
        LockHolder holder = reader.holder();
        Claim claim = new Claim(
                new Target.Shared(holder.name()),
                new Owner(reader.value()),
                holder.token(),
                timing.maxLeaseTtl().toMillis(),
                fenceMillis());
        AtomicInteger released = new AtomicInteger();
        survey.send(nodes, request, Command.Release.ofLease(claim), answer -> {
            if (answer.reply() instanceof Reply.Released) {
                released.incrementAndGet();
            }
        });
        return released.get() == 0
                ? Optional.empty()
                : Optional.of(new LockHolder(
                        holder.name(),
                        holder.mode(),
                        holder.host(),
                        holder.pid(),
                        holder.thread(),
                        holder.since(),
                        holder.token(),
                        holder.remaining(),
                        released.get(),
                        holder.here()));
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

    /** A holder that came later has a larger token. */
    private static Predicate<HeldLock> before(long token) {
        return heldLock -> heldLock.claim().lastToken() < token;
    }

    private static Predicate<HeldLock> among(List<HolderSurvey.Found> holders) {
        return heldLock -> holders.stream()
                .anyMatch(each -> each.value().equals(heldLock.claim().owner().value()));
    }

    /** Holders of this process lose the lock at once, and not only at their next renewal. */
    private void loseOwn(LockRequest request, Predicate<HeldLock> meant) {
        for (String name : request.names()) {
            heldLocks.of(name).stream()
                    .filter(heldLock -> heldLock.claim().target().isAmong(request.permits()))
                    .filter(meant)
                    // without its name, which a reason may not show everywhere
                    .forEach(heldLock -> heldLock.lose("an operator released the lock by force", time.nanoTime()));
        }
    }
}
