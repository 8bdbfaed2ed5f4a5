// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** Clients find one home, and what stands in a slot that they leave is void. */
class HomeSearchTest extends ShardWithHome {

    @Test
    void home_staysWhereItIs_whenASlotComes_andASignLeadsOthersThere() {
        Shard early = early();
        assertThat(node.of(home)).isEqualTo(sign("here"));
        look(early);
        assertThat(homeOf(early)).isEqualTo(home);
        assertThat(node.of(door)).isEqualTo(sign(Slot.tag(home)));

        Shard late = shard();
        see(late, 5, all, all);
        assertThat(homeOf(late)).as("before it has looked").isEqualTo(door);
        look(late);
        assertThat(homeOf(late)).isEqualTo(home);
        assertThat(node.marks).containsKey(Slot.tag(home));
    }

    @Test
    void home_ofAClientThatHasNotLooked_isTheDoorAlsoWhenThatChanges() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        see(shard, 5, all, all);
        assertThat(homeOf(shard)).isEqualTo(door);
    }

    /** The other node had the slots before, and kept what it knew of itself in one of them. */
    @Test
    void signOfAnotherNode_leadsNowhere() {
        Shard early = early();
        int other = fewer.stream().filter(slot -> slot != home).findFirst().orElseThrow();
        node.signs.put(Slot.tag(door), Slot.tag(other) + " b@d2");
        look(early);
        assertThat(homeOf(early)).isEqualTo(home);

        node.signs.put(Slot.tag(door), "here b@d2");
        look(early);
        assertThat(homeOf(early)).isEqualTo(home);
        assertThat(node.of(door)).isEqualTo(sign(Slot.tag(home)));
    }

    @Test
    void mark_thatIsLeftAtTheDoor_isVoidWhenClientsComeBackThere() {
        look(early());
        node.marks.put(Slot.tag(door), "left");
        all.clear(home);
        Shard late = shard();
        see(late, 9, all, all);
        look(late);
        assertThat(homeOf(late)).isEqualTo(door);
        assertThat(node.of(door)).isEqualTo(sign("here"));
        assertThat(node.marks).doesNotContainKey(Slot.tag(door));
    }

    @Test
    void sign_thatIsMissingWhereTheDoorIsTheHome_isWrittenAndTheMarkIsKept() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        look(shard);
        node.marks.put(Slot.tag(home), "kept");
        node.signs.clear();
        look(shard);
        assertThat(node.of(home)).isEqualTo(sign("here"));
        assertThat(node.marks).containsKey(Slot.tag(home));
    }

    /** What is granted there is granted after its quarantine: by then the mark of the first one is not trusted. */
    @Test
    void secondHome_atTheDoor_isEnded_andItsMarkIsVoid() {
        Shard early = early();
        node.signs.put(Slot.tag(door), sign("here"));
        node.marks.put(Slot.tag(door), "second");
        look(early);
        assertThat(node.of(door)).isEqualTo(sign(Slot.tag(home)));
        assertThat(node.marks).containsOnlyKeys(Slot.tag(home));
    }

    /** One stood still, while its home was away and came back. */
    @Test
    void homes_thatDifferAndAreNoDoor_becomeOne_andWhatIsLeftIsVoid() {
        Shard one = early();
        look(one);
        int later = Slot.homeOf(without(door, home));
        Shard other = shard();
        see(other, 7, without(door, home), without(door, home));
        look(other);
        node.marks.put(Slot.tag(later), "of the other");
        node.signs.put(Slot.tag(door), sign(Slot.tag(later)));
        see(other, 9, all, all);

        look(one);
        assertThat(homeOf(one)).as("that of the sign").isEqualTo(later);
        assertThat(node.of(home)).isEqualTo(sign(Slot.tag(later)));
        assertThat(node.marks).containsOnlyKeys(Slot.tag(later));
        look(other);
        assertThat(homeOf(other)).isEqualTo(later);
    }

    @Test
    void sign_inASlotThatIsBeingMoved_isNotWaitedFor_byAClientThatHasAHome_butItAsksForNoLock() {
        Shard early = early();
        look(early);
        node.moving.add(Slot.tag(door));
        assertThat(search(early)).isEmpty();
        assertThat(homeOf(early)).isEqualTo(home);
        assertThat(early.isHomeShared()).isFalse();

        node.moving.clear();
        assertThat(search(early)).contains(new HomeSearch.Lead(Slot.tag(door), sign(Slot.tag(home)), Slot.tag(home)));
        assertThat(early.isHomeShared()).as("before that look is over").isFalse();
        look(early);
        node.moving.add(Slot.tag(door));

        Shard late = shard();
        see(late, 5, all, all);
        assertThatIllegalStateException().isThrownBy(() -> search(late)).withMessage(Slot.tag(door));
    }

    @Test
    void home_thatCannotBeMadeVoid_isNotLeft() {
        Shard early = early();
        int other = without(door, home).nextSetBit(0);
        node.signs.put(Slot.tag(door), sign(Slot.tag(other)));
        node.moving.add(Slot.tag(home));
        assertThatIllegalStateException().isThrownBy(() -> search(early)).withMessage(Slot.tag(home));
        assertThat(homeOf(early)).isEqualTo(home);
    }

    @Test
    void signOfTheNodeBefore_leadsToTheSameHome_andTheMarkIsKept() {
        look(early());
        node.ids = new ReplicationIds("d2", "d1");
        Shard late = shard();
        see(late, "b", 5, all);
        look(late);
        assertThat(homeOf(late)).isEqualTo(home);
        assertThat(node.of(door)).isEqualTo(Slot.tag(home) + " b@d2");
        assertThat(node.marks).containsKey(Slot.tag(home));
    }

    @Test
    void home_isSharedNoMore_onceTheDoorIsAnother_orNoSignWasReadForSomeSeconds() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        assertThat(shard.isHomeShared()).as("before the first look").isFalse();
        look(shard);
        pass(3_499);
        assertThat(shard.isHomeShared()).isTrue();
        pass(1);
        assertThat(shard.isHomeShared()).as("after 3.5 s").isFalse();
        see(shard, 1, fewer, fewer);
        look(shard);
        see(shard, 5, all, all);
        assertThat(shard.isHomeShared())
                .as("with a door that was not looked at")
                .isFalse();
    }

    /** A client may hear of a slot late where it asks a majority. All hear the same of the node itself. */
    @Test
    void door_isInASlotThatTheNodeSaysItHas_whateverAMajoritySays() {
        Shard shard = shard();
        see(shard, 1, fewer, all);
        look(shard);
        assertThat(homeOf(shard)).isEqualTo(door);
        assertThat(node.of(door)).isEqualTo(sign("here"));
    }

    @Test
    void sign_thatAnotherClientChangesAllTheTime_leadsNowhereInThisLook() {
        Shard early = early();
        node.changesBeforeEachWrite = true;
        assertThat(search(early)).isEmpty();
        assertThat(early.isHomeShared()).isFalse();
    }
}
