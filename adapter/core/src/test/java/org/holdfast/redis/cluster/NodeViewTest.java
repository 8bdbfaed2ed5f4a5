// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.holdfast.redis.address.HostPort;
import org.junit.jupiter.api.Test;

class NodeViewTest {

    private static final HostPort ASKED = new HostPort("asked.example", 7_000);
    private static final String A = "a".repeat(40);
    private static final String B = "b".repeat(40);
    private static final String C = "c".repeat(40);

    @Test
    void parse_whatNodesOfAllVersionsAnswer_isUnderstood() {
        NodeView view = NodeView.parse(
                A + " :7000@17000 myself,master - 0 0 3 connected 0-5 7 [8->-" + B + "] [9-<-" + B + "]\n" + B
                        + " 10.0.0.2:7001@17001,b.example,,tls-port=0 master,fail - 0 0 4 disconnected 10-20\n" + C
                        + " ::1:7002@17002 slave " + A + " 0 0 3 connected\n",
                ASKED);
        assertThat(view.node()).isEqualTo(A);
        assertThat(view.moving().stream()).containsExactly(8);
        assertThat(view.coming()).isEqualTo(Map.of(9, B));
        assertThat(view.comingFromOthersThan(B).isEmpty()).isTrue();
        assertThat(view.comingFromOthersThan(C).stream()).containsExactly(9);
        assertThat(view.primaries()).hasSize(2);
        assertThat(view.primaries().get(0).place()).hasValue(ASKED);
        assertThat(view.primaries().get(0).slots().stream()).containsExactly(0, 1, 2, 3, 4, 5, 7);
        assertThat(view.primaries().get(1).place()).as("a name goes first").hasValue(new HostPort("b.example", 7_001));
        assertThat(view.primaries().get(1).failed()).isTrue();
        assertThat(view.primaries().get(1).epoch()).isEqualTo(4);
    }

    /** As after a node was lost with its files, and another one answers where it was. */
    @Test
    void parse_primaryWithoutAnAddress_isOneThatIsNotNamed() {
        NodeView view = NodeView.parse(
                A + " 10.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-5\n" + B
                        + " :0@0 master,noaddr - 0 0 4 disconnected 10-20\n",
                ASKED);
        assertThat(view.primaries().get(1).place()).isEmpty();
        assertThat(view.primaries().get(1).isNamed()).isFalse();
        assertThat(view.members()).containsExactlyInAnyOrder(A, B);
    }

    /** Slots may be moved to C; B had no slots when it failed. */
    @Test
    void primariesWithoutSlots_areNoPrimariesThatVote_andAreAskedUnlessTheyHaveFailed() {
        NodeView view = NodeView.parse(
                A + " 10.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-5\n" + B
                        + " 10.0.0.2:7000@17000 master,fail - 0 0 4 disconnected\n" + C
                        + " 10.0.0.3:7000@17000 master - 0 0 0 connected\n",
                ASKED);
        assertThat(view.countPrimaries()).isOne();
        assertThat(view.places()).containsExactly(new HostPort("10.0.0.1", 7_000), new HostPort("10.0.0.3", 7_000));
        assertThat(view.allPrimaries().map(NodeView.Primary::id)).containsExactlyInAnyOrder(A, B, C);
    }

    /** B has failed while it moved slot 9 to A, and its replica has all its other slots. */
    @Test
    void primary_ofWhichOnlySlotsAreLeftThatComeHere_isCountedUntilItHasFailed() {
        String rest = " 10.0.0.1:7000@17000 myself,master - 0 0 3 connected 0-5 [9-<-" + B + "]\n" + B
                + " 10.0.0.2:7001@17001 ";
        assertThat(NodeView.parse(A + rest + "master,fail - 0 0 4 disconnected 9\n", ASKED)
                        .countPrimaries())
                .isOne();
        assertThat(NodeView.parse(A + rest + "master,fail - 0 0 4 disconnected 9-10\n", ASKED)
                        .countPrimaries())
                .isEqualTo(2);
        assertThat(NodeView.parse(A + rest + "master - 0 0 4 connected 9\n", ASKED)
                        .countPrimaries())
                .isEqualTo(2);
    }

    @Test
    void parse_whatNoRedisAnswers_isRefused() {
        for (String answer : new String[] {
            "",
            "hello",
            A + " 10.0.0.1:7000@17000 master - 0 0 1 connected 0-16384",
            A + " 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-16384",
            A + " 10.0.0.1:7000@17000 myself,master - 0 0 x connected 0-1",
            A + " 10.0.0.1 myself,master - 0 0 1 connected 0-1",
        }) {
            assertThatIllegalArgumentException().isThrownBy(() -> NodeView.parse(answer, ASKED));
        }
    }
}
