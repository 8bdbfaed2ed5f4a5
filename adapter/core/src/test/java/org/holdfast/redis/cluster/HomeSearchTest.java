// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Clients find one home, and what stands in a slot that they leave is void. */
class HomeSearchTest extends ShardOnNode {

    private static final ReplicationIds DATA = new ReplicationIds("d1", "");

    /** The slots of the node at first; the one that comes is {@link #door}. */
    private final BitSet fewer = new BitSet();

    private final BitSet all = new BitSet();
    private int door;
    private int home;

    private final Node node = new Node();

    /** What stands on the node. */
    private final class Node implements HomeSearch.Doors {

        private final Map<String, String> signs = new HashMap<>();
        private final Map<String, String> marks = new HashMap<>();
        private final Set<String> moving = new HashSet<>();
        private ReplicationIds ids = DATA;
        private boolean changesBeforeEachWrite;
        private int searches;

        @Override
        public Optional<String> sign(String tag) {
            return moving.contains(tag) ? Optional.empty() : Optional.of(signs.getOrDefault(tag, ""));
        }

        @Override
        public List<String> signs(List<String> tags) {
            searches++;
            return tags.stream()
                    .map(tag -> sign(tag).orElseThrow(() -> unreadable(tag)))
                    .toList();
        }

        @Override
        public ReplicationIds ids() {
            return ids;
        }

        @Override
        public RuntimeException unreadable(String tag) {
            return new IllegalStateException(tag);
        }

        @Override
        public boolean write(String tag, String seen, String sign, boolean voids) {
            if (changesBeforeEachWrite || !signs.getOrDefault(tag, "").equals(seen)) {
                return false;
            }
            signs.put(tag, sign);
            if (voids) {
                marks.remove(tag);
            }
            return true;
        }

        private String of(int slot) {
            return signs.getOrDefault(Slot.tag(slot), "");
        }
    }

    HomeSearchTest() {
        all.set(100, 200);
        door = Slot.homeOf(all);
        fewer.or(all);
        fewer.clear(door);
        home = Slot.homeOf(fewer);
    }

    private Optional<HomeSearch.Lead> search(Shard shard) {
        return new HomeSearch(shard, node).search();
    }

    /** A client that has looked before the slot came. */
    private Shard early() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        look(shard);
        node.marks.put(Slot.tag(home), "kept");
        see(shard, 5, all, all);
        return shard;
    }

    @Override
    void look(Shard shard) {
        Optional<HomeSearch.Lead> lead = search(shard);
        assertThat(lead).isPresent();
        super.look(shard);
        shard.isLedBy(lead);
        assertThat(shard.isHomeShared()).isTrue();
    }

    private static int homeOf(Shard shard) {
        return Slot.of(shard.homeTag().orElseThrow());
    }

    private static String sign(String what) {
        return what + " a@d1";
    }

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
    void home_inWhichAClientHasKeptSomething_isLeftByASignOnly() {
        Shard shard = shard();
        see(shard, 1, fewer, fewer);
        super.look(shard); // it could not read the sign
        see(shard, 5, all, all);
        assertThat(homeOf(shard)).isEqualTo(home);
    }

    private BitSet without(int... gone) {
        BitSet slots = (BitSet) all.clone();
        for (int slot : gone) {
            slots.clear(slot);
        }
        return slots;
    }

    /** Others may have changed it meanwhile, and look elsewhere. */
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
}
