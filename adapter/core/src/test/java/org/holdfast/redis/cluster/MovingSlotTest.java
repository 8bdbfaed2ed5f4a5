// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Slots that are moved away from their node, or were for a moment. */
class MovingSlotTest extends ShardOnNode {

    private static BitSet slots(int last) {
        BitSet slots = new BitSet();
        slots.set(0, last + 1);
        return slots;
    }

    private static BitSet only(int slot) {
        BitSet one = new BitSet();
        one.set(slot);
        return one;
    }

    /** A lock may have been renewed, and its keys moved away, just before that. */
    @Test
    void slotWhoseMoveIsGivenUp_whenThatIsSeen_countsAsOneThatHasCome() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        pass(1_000);
        see(shard, 1, slots(9), slots(9), only(3));
        assertThat(shard.mayLackKeys(3)).isTrue();
        look(shard);
        assertThat(shard.mayLackKeys(3)).isFalse();
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 3)).isEqualTo(nowMicros());
        pass(100); // a slot that is being moved away is not written down that often
        see(shard, 1, 9);
        assertThat(shard.mayLackKeys(3)).isTrue();
        look(shard);
        assertThat(shard.mayLackKeys(3)).isFalse();
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 3)).isEqualTo(nowMicros());
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 4)).isLessThan(nowMicros());
        String written = text;
        pass(1_000);
        see(shard, 1, 9);
        look(shard);
        assertThat(text).as("once").isEqualTo(written);
    }

    @Test
    void slotThatIsBeingMovedAway_whileTheNodeDoesNotAnswer_isMovedAwayStill() {
        Shard shard = shard();
        see(shard, 1, 9);
        see(shard, 1, slots(9), slots(9), only(3));
        look(shard);
        pass(1_000);
        shard.see(
                new NodeView.Owner("a", 1),
                PLACE,
                new Seen.Word("a", slots(9), Optional.empty(), new BitSet()),
                time.nanoTime(),
                watchedSince);
        look(shard);
        pass(1_000);
        see(shard, 1, 9);
        assertThat(shard.mayLackKeys(3)).isTrue();
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 3)).isEqualTo(nowMicros());
    }

    /** A look and an answer of the cluster come on different threads. */
    @Test
    void moveThatEnds_whileALookWritesDownThatItGoesOn_isWrittenDownByTheNext() {
        Shard shard = shard();
        see(shard, 1, 9);
        see(shard, 1, slots(9), slots(9), only(3));
        Shard.Update update = updateOf(shard, false);
        see(shard, 1, 9);
        text = update.text();
        update.isWritten();
        assertThat(shard.mayLackKeys(3)).isTrue();
        pass(200);
        look(shard);
        assertThat(shard.mayLackKeys(3)).isFalse();
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 3)).isEqualTo(nowMicros());
    }

    @Test
    void slotThatIsAwayBetweenTwoLooks_countsAsOneThatHasCome() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        pass(1_000);
        see(shard, 1, 8);
        see(shard, 1, 9);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 9)).isEqualTo(Long.MAX_VALUE);
        look(shard);
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 9)).isEqualTo(nowMicros());
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 8)).isLessThan(nowMicros());
    }

    /** As a client sees it that stood still while a move was begun and given up. */
    @Test
    void client_thatHasNotAskedForAWhile_asksForNoNewLockBeforeItHasReadTheRecordAnew() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        assertThat(shard.mayLackKeys(3)).isFalse();
        Shard other = shard();
        pass(2_001);
        assertThat(shard.mayLackKeys(3)).as("it may be moved away").isTrue();
        see(other, 1, slots(9), slots(9), only(3));
        look(other);
        see(shard, 1, 9);
        assertThat(shard.mayLackKeys(3))
                .as("it may have been moved away until now")
                .isTrue();
        look(shard);
        assertThat(shard.mayLackKeys(3)).isFalse();
        assertThat(shard.sinceMicros(shard.homeTag().orElse(""), 3)).isEqualTo(nowMicros());
    }

    @Test
    void lockThatWasAskedFor_beforeItsSlotWasSeenToMove_isNoVoteWhenThatIsWrittenDown() {
        Shard shard = shard();
        see(shard, 1, 9);
        look(shard);
        pass(1);
        long sentAt = time.nanoTime();
        see(shard, 1, slots(9), slots(9), only(3));
        look(shard);
        assertThat(shard.mayLackKeysSince(3, sentAt)).isTrue();
        assertThat(shard.mayLackKeysSince(4, sentAt)).isFalse();
        pass(1);
        assertThat(shard.mayLackKeysSince(3, time.nanoTime())).isFalse();
    }
}
