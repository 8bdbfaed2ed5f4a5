// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where the sign at the door is missing, no client relies on a second home, or on what a second home lacks. */
class SecondHomeTest extends ShardWithHome {

    /** The first one has not written the sign at the new door yet, or is gone. */
    @Test
    void client_thatStartsAtANewDoor_looksInAllSlotsForTheHome_once() {
        early();
        Shard late = shard();
        see(late, 5, all, all);
        look(late);
        assertThat(homeOf(late)).isEqualTo(home);
        assertThat(node.of(door)).isEqualTo(sign(Slot.tag(home)));
        assertThat(node.marks).containsKey(Slot.tag(home));
        look(late);
        Shard next = shard();
        see(next, 5, all, all);
        look(next);
        assertThat(homeOf(next)).isEqualTo(home);
        assertThat(node.searches).isEqualTo(2);
    }

    /** It had the door before another slot became that. */
    @Test
    void homeOfAnotherNode_inOneOfTheSlots_isNone() {
        node.signs.put(Slot.tag(home), "here b@d2");
        Shard late = shard();
        see(late, 5, all, all);
        look(late);
        assertThat(homeOf(late)).isEqualTo(door);
    }

    @Test
    void client_thatStartsAtANewDoor_isRefusedWhereASlotCannotBeRead() {
        early();
        node.moving.add(Slot.tag(home));
        Shard late = shard();
        see(late, 5, all, all);
        assertThatIllegalStateException().isThrownBy(() -> search(late)).withMessage(Slot.tag(home));
        assertThat(node.signs).doesNotContainKey(Slot.tag(door));
        node.moving.clear();
        look(late);
        assertThat(homeOf(late)).isEqualTo(home);
    }

    /** It may have stood still, while clients that had not found its home noted at the other one what it lacks. */
    @Test
    void client_thatHasNotLookedForSomeSeconds_followsASecondHome_andItsOwnIsVoid() {
        Shard early = early();
        look(early);
        pass(3_500);
        node.signs.put(Slot.tag(door), sign("here"));
        node.marks.put(Slot.tag(door), "second");
        look(early);
        assertThat(homeOf(early)).isEqualTo(door);
        assertThat(node.of(home)).isEqualTo(sign(Slot.tag(door)));
        assertThat(node.marks).containsOnlyKeys(Slot.tag(door));
    }

    /** Its home may have been away meanwhile, and another one begun. */
    @Test
    void client_thatHasNotHeardOfTheNodeForSomeSeconds_looksInAllSlotsAsOneThatStarts() {
        Shard early = early();
        look(early);
        int searches = node.searches;
        node.signs.remove(Slot.tag(door));
        pass(1_000);
        see(early, 5, all, all);
        look(early);
        assertThat(node.searches).isEqualTo(searches);
        node.signs.remove(Slot.tag(door));
        pass(2_001);
        see(early, 5, all, all);
        look(early);
        assertThat(node.searches).isEqualTo(searches + 1);
        assertThat(homeOf(early)).isEqualTo(home);
    }

    /** Memory was flushed, or the key has gone with a move that was given up. */
    @Test
    void signAtTheHome_isWrittenAnew_whereTheDoorIsAnother() {
        Shard early = early();
        look(early);
        node.signs.remove(Slot.tag(home));
        look(early);
        assertThat(node.of(home)).isEqualTo(sign("here"));
        node.ids = new ReplicationIds("d2", "d1");
        look(early);
        assertThat(node.of(home)).as("by the present data").isEqualTo("here a@d2");
    }

    @Test
    void mark_atADoorWithoutASign_isVoidWhenAHomeIsBegunThere() {
        node.marks.put(Slot.tag(door), "left");
        Shard shard = shard();
        see(shard, 5, all, all);
        look(shard);
        assertThat(node.marks).isEmpty();
    }

    /** It may have leases, and asks for no lock. */
    @Test
    void client_thatHasLostItsHome_andCannotReadASlot_isNotRefused() {
        Shard shard = shard();
        see(shard, 5, all, all);
        look(shard);
        see(shard, 7, fewer, fewer);
        int other = without(door, home).nextSetBit(0);
        node.moving.add(Slot.tag(other));
        assertThat(search(shard)).isEmpty();
        assertThat(shard.isHomeShared()).isFalse();
        text = ""; // at the next home
        keepRecord(shard);
        assertThat(shard.sinceMicros(Slot.tag(home), other))
                .as("what renewals need")
                .isLessThan(Long.MAX_VALUE);

        node.moving.clear();
        int searches = node.searches;
        look(shard);
        assertThat(homeOf(shard)).isEqualTo(home);
        assertThat(node.searches)
                .as("it has not found that home by what it keeps there")
                .isEqualTo(searches + 1);
    }

    @Test
    void look_inWhichAClientStoodStill_isAsOldAsItsBeginning() {
        Shard shard = shard();
        see(shard, 5, all, all);
        long begunAt = time.nanoTime();
        Optional<HomeSearch.Lead> lead = search(shard);
        pass(3_500);
        shard.isLedBy(lead, begunAt);
        assertThat(shard.isHomeShared()).isFalse();
    }
}
