// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What clients have noted elsewhere may be lost: the node is in quarantine, unless others have noted it here too. */
class SecondMarkTest extends GuardedNode {

    private NodeGuard.Admission look(String second) {
        return SecondMark.admit(guard, node, second);
    }

    private void assertBegun(String second) {
        assertThat(look(second))
                .isInstanceOfSatisfying(NodeGuard.Admission.Admitted.class, admitted -> assertThat(admitted.reason())
                        .contains("another of its slots"));
        assertThat(node.parsed().sinceMicros()).isEqualTo(node.now);
    }

    private void assertKept(String second) {
        long since = node.parsed().sinceMicros();
        assertThat(look(second)).isInstanceOf(NodeGuard.Admission.Admitted.class);
        assertThat(node.parsed().sinceMicros()).isEqualTo(since);
    }

    /** A mark that another client has begun now, elsewhere. */
    private String begunNow() {
        String mark = node.mark;
        node.mark = "";
        guard(new AcceptedSettings(SHORT), false).admit(node);
        String begun = node.mark;
        node.mark = mark;
        return begun;
    }

    @Test
    void node_thatClientsHaveLookedAtAllTheTime_isInNoQuarantine() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(5));
        String second = begunNow();
        watch(Duration.ofSeconds(2));
        assertKept(second);
    }

    @Test
    void node_withoutASecondMark_isInNoQuarantine() {
        voteAfterQuarantine();
        pass(Duration.ofSeconds(5));
        assertKept("");
        assertKept("no mark");
    }

    /** Whether the second mark is in quarantine says nothing: it may have begun once more, for what was seen there. */
    @Test
    void node_thatNoClientHasLookedAtForSomeSeconds_isInQuarantine() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(5));
        String second = begunNow();
        pass(Duration.ofSeconds(4));
        assertBegun(second);
    }

    @Test
    void node_whoseClockIsWatchedForAShorterTimeThanTheSecondMarkIsThere_isInQuarantine() {
        voteAfterQuarantine();
        String second = begunNow();
        pass(Duration.ofSeconds(20));
        steadySince = node.now;
        watch(Duration.ofSeconds(2));
        assertBegun(second);
    }

    @Test
    void node_whoseSecondMarkIsOfAnotherProcess_isInQuarantine() {
        voteAfterQuarantine();
        watch(Duration.ofSeconds(5));
        node.process = new BirthMark.Process("other", 0, "-", "-");
        String second = begunNow();
        node.process = PROCESS;
        assertBegun(second);
    }

    @Test
    void node_thatIsRefused_isNotWrittenTo() {
        voteAfterQuarantine();
        String second = begunNow();
        pass(Duration.ofSeconds(20));
        node.primary = false;
        int writes = node.writes;
        assertThat(look(second)).isInstanceOf(NodeGuard.Admission.Refused.class);
        assertThat(node.writes).isEqualTo(writes);
    }
}
