// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The script of latches against one real node. */
@Timeout(60)
class LatchScriptTest {

    private static final long KEPT = 60_000;

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private static Reply use(long generation, int count, String... ids) {
        return NODE.ask(new Command.UseLatch(new Latch("x", generation, count), Set.of(ids), KEPT))
                .reply();
    }

    private static Reply counted(String... ids) {
        return new Reply.Counted(Set.of(ids));
    }

    @Test
    void use_records_eachCallOnce() throws Exception {
        assertThat(use(1, 3)).isEqualTo(counted());
        assertThat(use(1, 3, "ab")).isEqualTo(counted("ab"));
        assertThat(use(1, 3, "a")).as("a part of another id").isEqualTo(counted("ab", "a"));
        assertThat(use(1, 3, "a")).isEqualTo(counted("ab", "a"));
        assertThat(NODE.command("GET test:{x}:latch")).contains("\r\n1 3 ab a\r\n");
    }

    @Test
    void use_ofAnOpenLatch_recordsNoMore() {
        assertThat(use(1, 2, "a", "b")).isEqualTo(counted("a", "b"));
        assertThat(use(1, 2, "c")).isEqualTo(counted("a", "b"));
    }

    @Test
    void use_ofAHigherGeneration_beginsAnew() {
        use(1, 2, "a", "b");
        assertThat(use(10, 3)).isEqualTo(counted());
        assertThat(use(9, 2, "c")).as("as numbers, not as text").isEqualTo(new Reply.LatchReset(10));
        assertThat(use(10, 3)).isEqualTo(counted());
    }

    @Test
    void use_ofTheLargestGeneration_isExact() {
        use((1L << 53) - 1, 1, "a");
        assertThat(use(1L << 53, 1)).isEqualTo(counted());
        assertThat(use((1L << 53) - 1, 1)).isEqualTo(new Reply.LatchReset(1L << 53));
    }

    @Test
    void use_withAnotherCount_changesNothing() throws Exception {
        use(1, 2, "a");
        String before = NODE.command("GET test:{x}:latch");
        assertThat(use(1, 20, "b")).isEqualTo(new Reply.LatchDiffers(2));
        assertThat(NODE.command("GET test:{x}:latch")).isEqualTo(before);
    }

    @Test
    void use_prolongsTheLatch() throws Exception {
        use(1, 2, "a");
        NODE.command("PEXPIRE test:{x}:latch 1000");
        use(1, 2);
        long left = Long.parseLong(
                NODE.command("PTTL test:{x}:latch").replace(":", "").strip());
        assertThat(left).isBetween(KEPT / 2, KEPT);
    }

    @Test
    void value_thatNoScriptHasWritten_isReplaced() throws Exception {
        NODE.command("SET test:{x}:latch anything");
        assertThat(use(1, 1, "a")).isEqualTo(counted("a"));
    }

    @Test
    void id_thatNoCallCanHave_makesTheReplyUnusable() throws Exception {
        NODE.command("SET test:{x}:latch \"1 2 a! b\"");
        assertThat(use(1, 2)).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void use_onANodeWhoseMemoryIsFull_stillReportsWhatItHas() throws Exception {
        use(1, 2, "a");
        NODE.command("CONFIG SET maxmemory 1");
        try {
            assertThat(use(1, 2)).isEqualTo(counted("a"));
            assertThat(use(1, 2, "b")).isInstanceOf(Reply.Refused.class);
        } finally {
            NODE.command("CONFIG SET maxmemory 0");
        }
        assertThat(use(1, 2)).isEqualTo(counted("a"));
    }
}
