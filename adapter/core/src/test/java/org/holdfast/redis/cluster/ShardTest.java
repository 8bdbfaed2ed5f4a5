// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a shard writes down of its slots, and what it believes of what stands there. */
class ShardTest extends ShardOnNode {

    /** As after two clusters were merged, or where an operator has forced a node back into its place. */
    @Test
    void record_thatGoesBackToBeforeAnotherNodeWasNamed_isWrong() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        long first = shard.sinceMicros(shard.homeTag().orElse(""), 0);
        pass(1_000);
        see(shard, 1, 9);
        sinceOther = Duration.ofMillis(1_001).toNanos();
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0))
                .as("the other was named before that")
                .isEqualTo(first);
        sinceOther = Duration.ofMillis(999).toNanos();
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0))
                .as("it may lack what the other has granted")
                .isEqualTo(nowMicros());
    }

    @Test
    void slotsThatCome_whileAClientLooks_leaveTheOthersAsTheyWere() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        long first = shard.sinceMicros(shard.homeTag().orElse(""), 0);
        pass(1_000);
        see(shard, 5, 10);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(first);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 10)).isGreaterThan(first);
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
            long first = shard.sinceMicros(shard.homeTag().orElse(""), 0);
            pass(1_000);
            see(shard, 5, assigned, more);
            look(shard);
            assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(first);
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
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0))
                .as("not used before others look")
                .isEqualTo(Long.MAX_VALUE);
        pass(3_001);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0))
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
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(nowMicros());
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
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(Long.MAX_VALUE);
        pass(3_001);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isGreaterThan(nowMicros());
    }

    /** The slot may have been away for longer than what is excluded in writing. */
    @Test
    void epochThatRises_whileAClientDoesNotAsk_isNoSlotThatCame() {
        assertThat(sinceAfterRise(2_999)).isEqualTo(toMicros(start));
        assertThat(sinceAfterRise(3_000)).isEqualTo(Long.MAX_VALUE);
    }

    /** The home may have been away meanwhile, and clients have noted elsewhere what it lacks. */
    @Test
    void epochThatRises_whereNoSignLeadsToTheHome_isNoSlotThatCame() {
        led = false;
        assertThat(sinceAfterRise(1_000)).isEqualTo(Long.MAX_VALUE);
    }

    /** Returns since when a slot is there that a client has seen, after another one came so much later. */
    private long sinceAfterRise(long millis) {
        text = "";
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        long first = shard.sinceMicros(shard.homeTag().orElse(""), 0);
        pass(millis);
        see(shard, 5, 10);
        look(shard);
        long since = shard.sinceMicros(shard.homeTag().orElse(""), 0);
        return since == first ? toMicros(start) : since;
    }

    private static long toMicros(long nanos) {
        return nanos / 1_000;
    }

    @Test
    void epochThatStays_whileNoClientLooks_isBelieved() {
        Shard before = shard();
        see(before, 1, 9);
        look(before);
        long first = before.sinceMicros(before.homeTag().orElse(""), 0);
        pass(60_000);
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(first);
    }

    @Test
    void recordOfAnEarlierEpoch_thatAClientWhichWatchesBringsUpToDate_isBelieved() {
        Shard watching = shard();
        see(watching, 1, 9);
        look(watching);
        long first = watching.sinceMicros(watching.homeTag().orElse(""), 0);
        Shard fresh = shard();
        see(fresh, 5, 10);
        look(fresh);
        assertThat(fresh.sinceMicros(fresh.homeTag().orElse(""), 0)).isEqualTo(Long.MAX_VALUE);
        pass(1_000);
        see(watching, 5, 10);
        look(watching);
        look(fresh);
        assertThat(fresh.sinceMicros(fresh.homeTag().orElse(""), 0)).isEqualTo(first);
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
        assertThat(late.sinceMicros(late.homeTag().orElse(""), 0))
                .isEqualTo(watching.sinceMicros(watching.homeTag().orElse(""), 0));
    }

    /** A connection of that term to the node before would have its answers count. */
    @Test
    void place_ofANodeWhoseTermHasJustBegun_isNotThatOfTheNodeBefore() {
        Shard shard = shard();
        see(shard, 1, 9);
        assertThat(shard.placeOf("a")).contains(PLACE);
        assertThat(shard.placeOf("b")).isEmpty();
    }

    /** The guard begins a quarantine by then: what it has of its slots counts as having come just now. */
    @Test
    void slot_thatCameWhileTheClockWasAhead_isOfThisMomentWhenThatIsSetRight() {
        long hour = 3_600 * MICROS;
        text = "a 1 0-4:" + (nowMicros() - MICROS) + " 5-7:" + (nowMicros() + hour) + " 8-9:"
                + (nowMicros() + 7 * MICROS);
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 0)).isEqualTo(nowMicros() - MICROS);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 5)).isEqualTo(nowMicros());
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 8))
                .as("another node may vote until then")
                .isEqualTo(nowMicros() + 7 * MICROS);
    }

    @Test
    void shard_isHeardWithoutAGap_asLongAsItIsAskedOftenEnough() {
        Shard shard = shard();
        assertThat(shard.heardSince()).as("not heard yet").isEqualTo(time.nanoTime());
        see(shard, 1, 9);
        long first = time.nanoTime();
        pass(2_000);
        see(shard, 1, 9);
        assertThat(shard.heardSince()).isEqualTo(first);
        pass(2_001);
        assertThat(shard.heardSince()).as("while it is not heard").isEqualTo(time.nanoTime());
        see(shard, 1, 9);
        pass(500);
        assertThat(shard.heardSince()).as("after a gap").isEqualTo(time.nanoTime() - 500_000_000L);
    }
}
