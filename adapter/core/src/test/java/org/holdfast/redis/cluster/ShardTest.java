// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.guard.Terms;
import org.holdfast.redis.address.HostPort;
import org.junit.jupiter.api.Test;

/** What a shard writes down of its slots, and what it believes of what stands there. */
class ShardTest {

    private static final HostPort PLACE = new HostPort("10.0.0.1", 7_000);
    private static final long MICROS = 1_000_000;

    private final VirtualTime time = new VirtualTime();

    /** What stands on the node. */
    private String text = "";

    private Shard shard() {
        return new Shard(new Terms(time, Duration.ofSeconds(7), Duration.ofSeconds(2), 0.01), time);
    }

    private static void see(Shard shard, long epoch, int lastSlot) {
        BitSet slots = new BitSet();
        slots.set(0, lastSlot + 1);
        see(shard, epoch, slots, slots);
    }

    private static void see(Shard shard, long epoch, BitSet assigned, BitSet own) {
        Optional<NodeView.Primary> view = Optional.of(new NodeView.Primary("a", Optional.of(PLACE), own, epoch, false));
        shard.see("a", PLACE, assigned, new BitSet(), view);
    }

    private void look(Shard shard) {
        look(shard, false);
    }

    private void look(Shard shard, boolean forgets) {
        Shard.Update update =
                shard.update(new Shard.Sight(text, ReplicationIds.UNKNOWN, nowMicros(), 0, forgets), slot -> 0);
        text = update.text();
        update.isWritten();
    }

    private long nowMicros() {
        return time.nanoTime() / 1_000 + MICROS;
    }

    private void pass(long millis) {
        time.pass(Duration.ofMillis(millis).toNanos());
    }

    @Test
    void slotsThatCome_whileAClientLooks_leaveTheOthersAsTheyWere() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        long first = shard.sinceMicros(0);
        pass(1_000);
        see(shard, 5, 10);
        look(shard);
        assertThat(shard.sinceMicros(0)).isEqualTo(first);
        assertThat(shard.sinceMicros(10)).isGreaterThan(first);
    }

    /** The others may know that a slot has come before the node says so, or later. */
    @Test
    void slotThatComes_isExplainedByWhatTheNodeItselfSays() {
        BitSet few = new BitSet();
        few.set(0, 9);
        BitSet more = new BitSet();
        more.set(0, 10);
        for (BitSet assigned : List.of(few, more)) {
            text = "";
            Shard shard = shard();
            see(shard, 1, 8);
            look(shard);
            pass(1_000);
            see(shard, 1, assigned, few);
            look(shard);
            long first = shard.sinceMicros(0);
            pass(1_000);
            see(shard, 5, assigned, more);
            look(shard);
            assertThat(shard.sinceMicros(0)).isEqualTo(first);
        }
    }

    @Test
    void epochThatRises_forNoSlotThatCame_isASlotThatWasAway() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        pass(1_000);
        see(shard, 5, 9);
        look(shard);
        assertThat(shard.sinceMicros(0)).as("not used before others look").isEqualTo(Long.MAX_VALUE);
        pass(3_001);
        look(shard);
        assertThat(shard.sinceMicros(0))
                .as("when no vote of another shard counts any more")
                .isGreaterThan(nowMicros() + 4 * MICROS);
    }

    /** As of a primary that has become one again: this client has waited for what counted before. */
    @Test
    void recordOfAnEarlierEpoch_whereAQuarantineBegan_isReplacedAtOnce() {
        Shard before = shard();
        see(before, 1, 9);
        look(before);
        Shard shard = shard();
        see(shard, 5, 9);
        pass(8_000);
        look(shard, true);
        assertThat(shard.sinceMicros(0)).isEqualTo(nowMicros());
    }

    @Test
    void epochThatRises_whileNoClientLooks_isASlotThatWasAway() {
        Shard before = shard();
        see(before, 1, 9);
        look(before);
        pass(60_000);
        Shard shard = shard();
        see(shard, 5, 10);
        look(shard);
        assertThat(shard.sinceMicros(0)).isEqualTo(Long.MAX_VALUE);
        pass(3_001);
        look(shard);
        assertThat(shard.sinceMicros(0)).isGreaterThan(nowMicros());
    }

    @Test
    void epochThatStays_whileNoClientLooks_isBelieved() {
        Shard before = shard();
        see(before, 1, 9);
        look(before);
        long first = before.sinceMicros(0);
        pass(60_000);
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        assertThat(shard.sinceMicros(0)).isEqualTo(first);
    }

    @Test
    void recordOfAnEarlierEpoch_thatAClientWhichWatchesBringsUpToDate_isBelieved() {
        Shard watching = shard();
        see(watching, 1, 9);
        look(watching);
        long first = watching.sinceMicros(0);
        Shard fresh = shard();
        see(fresh, 5, 10);
        look(fresh);
        assertThat(fresh.sinceMicros(0)).isEqualTo(Long.MAX_VALUE);
        pass(1_000);
        see(watching, 5, 10);
        look(watching);
        look(fresh);
        assertThat(fresh.sinceMicros(0)).isEqualTo(first);
    }

    @Test
    void recordOfALaterEpoch_thanThisClientHasHeardOf_isBelievedAndKept() {
        Shard late = shard();
        see(late, 1, 9);
        look(late);
        Shard watching = shard();
        see(watching, 1, 9);
        look(watching);
        pass(1_000);
        see(watching, 5, 10);
        look(watching);
        String written = text;
        look(late);
        assertThat(text).isEqualTo(written);
        assertThat(late.sinceMicros(0)).isEqualTo(watching.sinceMicros(0));
    }
}
