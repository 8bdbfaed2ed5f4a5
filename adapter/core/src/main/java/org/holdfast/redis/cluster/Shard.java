// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.term.Terms;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.cluster.Seen.OwnWord;
import org.jspecify.annotations.Nullable;

/**
 * A primary of a cluster, whichever node that is: after a failover it is another one.
 *
 * <p>Safe for use by any number of threads.
 */
public final class Shard {

    /** A moment in the record is later by so much, and by what is added to it, only where the clock was set back. */
    private static final long AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** A client that has seen the record so lately has watched since then what came to the node, see docs/safety.md. */
    private static final long WATCHED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Terms terms;
    private final FirstUse firstUse;
    private final Time time;
    private final KnownHome home;
    private final EpochWatch epochs;

    /** The node is asked at least so often. */
    private final long askedNanos;

    private volatile @Nullable Location location;
    private volatile Seen seen = Seen.NOTHING;
    /** Since when the node was asked without a gap which slots it has. */
    private volatile long heardSince;

    private volatile @Nullable Written written;
    private volatile @Nullable Outdated outdated;

    /** Where a node is. */
    private record Location(String node, HostPort place) {}

    /** A record of another epoch than the node has. */
    private record Outdated(Home home, long epoch, long firstSeenAt) {}

    /**
     * What stands on a node.
     *
     * @param home where it was read
     * @param own what the node said of itself at that time
     */
    private record Written(Home home, SlotRecord record, OwnWord own) {}

    /** @param asked at least so often the node is asked */
    Shard(Terms terms, Time time, Duration asked) {
        this.terms = terms;
        this.firstUse = new FirstUse(terms, time);
        this.time = time;
        this.home = new KnownHome(time);
        this.askedNanos = asked.toNanos();
        this.epochs = new EpochWatch(time, askedNanos);
    }

    /** Returns which node it is, and whether its votes count. */
    public Terms terms() {
        return terms;
    }

    /**
     * Takes what the cluster says of it now.
     *
     * @param owner the node, and its epoch
     * @param at where that is
     * @param askedAt when it was asked
     * @param since when a majority was asked without a gap from then on
     */
    synchronized void see(NodeView.Owner owner, HostPort at, Seen.Word said, long askedAt, long since) {
        if (epochs.see(seen.node().equals(owner.node()), owner.epoch(), askedAt, since)) {
            home.missed();
        }
        location = new Location(owner.node(), at);
        take(said, askedAt);
    }

    private void take(Seen.Word said, long askedAt) {
        String node = said.node();
        Optional<NodeView> view = said.view();
        boolean isSame = seen.node().equals(node);
        OwnWord known = isSame ? seen.own() : OwnWord.UNKNOWN;
        boolean missed = view.isPresent() && !known.isOf(askedAt, askedNanos);
        heardSince = missed ? askedAt : heardSince;
        seen = new Seen(
                node,
                said.owned(),
                seen.doubts().seen(seen.slots(), said, isSame, missed, time.nanoTime()),
                view.flatMap(NodeView::own)
                        .map(own -> known.next(own, askedAt, time.nanoTime()))
                        .orElse(known),
                seen.before(said, askedAt));
        Home before = home.now();
        if (missed && !known.equals(OwnWord.UNKNOWN)) { // else it is another node, which continues the one before
            home.missed();
        }
        home.see(node, isSilent() ? said.owned() : seen.own().slots());
        if (!home.now().equals(before)) {
            written = null;
        }
    }

    /**
     * Returns since when this client has heard of the node without a gap. What clients see then they note at their next
     * look.
     */
    public long heardSince() {
        long now = time.nanoTime();
        return seen.own().isOf(now, askedNanos) ? heardSince : now;
    }

    /** Returns whether this client has watched it since a moment, and knows what the node before it was moving away. */
    public boolean hasWatchedSince(long moment) {
        return epochs.since() - moment <= 0 && seen.before().isEmpty();
    }

    /** Takes what others say while no majority names any node. */
    synchronized void hearOthers(Assignment assignment, long askedAt) {
        BitSet coming = assignment.coming(seen.node(), seen.slots());
        take(new Seen.Word(seen.node(), seen.slots(), Optional.empty(), coming), askedAt);
    }

    /** Has done with the node before, if it was heard what that was moving away when it was replaced. */
    synchronized void closeBefore(PrimaryWatch watch) {
        if (seen.before().filter(one -> watch.hasHeardAll(one, seen.node())).isPresent()) {
            seen = seen.whole();
        }
    }

    /** Returns whether the node has not said itself which slots it has: a majority of others was heard before it. */
    public boolean isSilent() {
        return seen.own().equals(OwnWord.UNKNOWN);
    }

    /** Takes what the node has said itself, unless that is known by now, or another node is the shard. */
    public synchronized void hear(NodeView view, long askedAt) {
        if (isSilent() && view.node().equals(seen.node())) {
            take(new Seen.Word(view.node(), seen.slots(), Optional.of(view), new BitSet()), askedAt);
        }
    }

    /** Returns from when on the node may be used for the first time. */
    public FirstUse firstUse() {
        return firstUse;
    }

    /**
     * Returns where a node is; empty if another one is the shard by now, or this one is not yet. A term begins before
     * it is known where its node is: what the node before it answers must not count in that term.
     */
    public Optional<HostPort> placeOf(String node) {
        return Optional.ofNullable(location)
                .filter(known -> known.node().equals(node))
                .map(Location::place);
    }

    /** Returns the hash tag of the keys in which it keeps what it knows of itself; empty if it has no slots. */
    public Optional<String> homeTag() {
        return home.tag();
    }

    KnownHome home() {
        return home;
    }

    /**
     * A look is over that has found what leads to the home; empty if it has not, or other clients may know more.
     *
     * @param begunAt when it began: this client may have stood still since
     */
    public void isLedBy(Optional<HomeSearch.Lead> lead, long begunAt) {
        home.isLedBy(lead, begunAt);
    }

    /**
     * Returns whether a look has found a moment ago that all clients have the same home, by the sign. Else this client
     * is not to ask for a new lock.
     */
    public boolean isHomeShared() {
        return home.isShared();
    }

    /**
     * Returns since when it has all that was granted in a slot, in microseconds by its clock; {@link Long#MAX_VALUE} if
     * that is not known.
     *
     * @param tag the hash tag of the home from which the other keys of the same call are
     */
    public long sinceMicros(String tag, int slot) {
        Written known = written;
        return known == null
                        || !known.home().equals(home.now())
                        || !known.home().tag().equals(tag)
                        || seen.doubts().hasLeft(slot)
                ? Long.MAX_VALUE
                : known.record().sinceMicros(slot);
    }

    /**
     * Returns whether keys of a slot may have gone, as far as this client knows, and {@link #sinceMicros} does not say
     * so yet: then it is not to ask for a new lock.
     */
    public boolean mayLackKeys(int slot) {
        Seen now = seen;
        return now.doubts().isUnnoted(slot) || !now.own().isOf(time.nanoTime(), askedNanos);
    }

    /** Returns whether they may have gone since a moment: then a lock that was asked for at that moment is no vote. */
    public boolean mayLackKeysSince(int slot, long moment) {
        return mayLackKeys(slot) || seen.doubts().isDoubtedSince(slot, moment);
    }

    /**
     * Returns what should stand on the node; empty if the record is elsewhere by now.
     *
     * @param settlesIn gives in how many nanoseconds no other shard votes on a slot any more, as far as is known
     * @param others slots that were another node's, as a majority has said
     */
    public Optional<Update> update(
            SlotRecord.Sight sight, IntToLongFunction settlesIn, List<SlotRecord.OtherOwner> others) {
        Home at = home.now();
        return at.tag().equals(sight.tag()) ? Optional.of(update(at, sight, settlesIn, others)) : Optional.empty();
    }

    private Update update(
            Home at, SlotRecord.Sight sight, IntToLongFunction settlesIn, List<SlotRecord.OtherOwner> others) {
        Seen now = seen;
        OwnWord own = now.own();
        String text = sight.text();
        long nowMicros = sight.nowMicros();
        SlotRecord before = SlotRecord.parse(text, at.node(), sight.ids(), sight.inheritedBeforeMicros())
                .until(nowMicros + micros(terms.settlesNanos()) + AHEAD_MICROS);
        if (own.equals(OwnWord.UNKNOWN)) { // it answers soon
            return new Update(this, at, SlotRecord.none(at.node(), sight.ids()), now, text, false);
        }
        if (before.isNone() || isOfPresentEpoch(before, at, now, sight.led())) {
            outdated = null;
            long begun = terms.current().map(terms::unsettledNanos).orElse(0L); // 0 after the wait for a term
            BitSet uncertain = now.doubts().uncertain(before, nowMicros);
            if (sight.inheritedBeforeMicros() == 0) { // else the record goes back to the node before, and is right
                uncertain.or(before.contradicted(others, nowMicros));
            }
            SlotRecord after = before.next(
                    own.epoch(),
                    now.slots(),
                    uncertain,
                    slot -> nowMicros + micros(Math.max(begun, settlesIn.applyAsLong(slot))));
            return new Update(this, at, after, now, after.text(), true);
        }
        if (!sight.forgets() && mayBeBroughtUpToDate(before, at)) {
            boolean ahead = before.epoch() > own.epoch(); // another client knows more by now
            return new Update(this, at, ahead ? before : SlotRecord.none(at.node(), sight.ids()), now, text, false);
        }
        long since = nowMicros + micros(Math.max(0, own.since() + terms.settlesNanos() - time.nanoTime()));
        SlotRecord after =
                SlotRecord.none(at.node(), sight.ids()).next(own.epoch(), now.slots(), new BitSet(), slot -> since);
        return new Update(this, at, after, now, after.text(), true);
    }

    /** Where no sign leads to the home, other clients may have written the record of a later epoch elsewhere. */
    private boolean isOfPresentEpoch(SlotRecord before, Home at, Seen now, boolean led) {
        OwnWord own = now.own();
        return before.isInherited()
                ? led && now.before().isEmpty() && isWatchedSincePromotion(own) && epochs.wasBefore(before.epoch())
                : before.epoch() == own.epoch() || led && isWatched(before, at, own);
    }

    /**
     * Returns whether the node has had no other epoch since this client, which knew the node before it, has learned of
     * it: so no slot has come to it since then.
     */
    private boolean isWatchedSincePromotion(OwnWord own) {
        return terms.current()
                .filter(term -> term.number() > 1 && own.since() - term.learnedAt() < WATCHED_NANOS)
                .isPresent();
    }

    /**
     * Returns whether this client has seen the record a moment ago, and the node has raised its epoch since for a slot
     * that it did not have then. It raises it for no slot that it has had all the time.
     */
    private boolean isWatched(SlotRecord before, Home at, OwnWord own) {
        Written known = written;
        if (known == null || !known.home().equals(at) || known.record().epoch() != before.epoch()) {
            return false;
        }
        return known.own().epoch() == before.epoch()
                && own.epoch() > before.epoch()
                && own.at() - known.own().at() < WATCHED_NANOS
                && own.hasSlotsBeyond(known.own());
    }

    /** A client that has watched the node writes a record of the present epoch soon. */
    private boolean mayBeBroughtUpToDate(SlotRecord before, Home at) {
        Outdated known = outdated;
        if (known == null || !known.home().equals(at) || known.epoch() != before.epoch()) {
            known = new Outdated(at, before.epoch(), time.nanoTime());
            outdated = known;
        }
        return time.nanoTime() - known.firstSeenAt() < WATCHED_NANOS;
    }

    /** What was seen since then is written down at the next look. */
    private synchronized void isWritten(Update update) {
        written = new Written(update.at(), update.record(), update.seenThen().own());
        seen = update.ours() && seen.doubts() == update.seenThen().doubts() ? seen.noted() : seen;
        if (update.ours() && seen.before().equals(update.seenThen().before())) {
            seen = seen.whole(); // the record does not go back to the node before, or it was heard what that was moving
        }
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }

    /**
     * What should stand on a node.
     *
     * @param at where
     * @param seenThen what it says was seen by then
     * @param ours whether it says what this client has seen
     */
    public record Update(Shard shard, Home at, SlotRecord record, Seen seenThen, String text, boolean ours) {

        /** It stands there by now. */
        public void isWritten() {
            shard.isWritten(this);
        }
    }

    @Override
    public String toString() {
        Location known = location;
        return (known == null ? "" : known.place()) + " ("
                + terms.current().map(Terms.Term::place).orElse("") + ")";
    }
}
