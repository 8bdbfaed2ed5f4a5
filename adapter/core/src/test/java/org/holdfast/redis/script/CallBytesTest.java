// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a node receives has the form that Redis' protocol has, whatever the words are. */
class CallBytesTest {

    @Test
    void words_ofAllKinds_areWrittenWithTheirLengthsInBytes() throws IOException {
        CallBytes call = new CallBytes()
                .begin()
                .add("EVAL")
                .add("")
                .add("\u00fc\u20ac")
                .add(new byte[] {0, '\r', '\n', -1})
                .add(0)
                .add(10)
                .add(Long.MAX_VALUE)
                .add(-7)
                .add(Long.MIN_VALUE);
        assertThat(sent(call))
                .isEqualTo(
                        "*9\r\n$4\r\nEVAL\r\n$0\r\n\r\n$5\r\n\u00c3\u00bc\u00e2\u0082\u00ac\r\n$4\r\n\0\r\n\u00ff\r\n"
                                + "$1\r\n0\r\n$2\r\n10\r\n$19\r\n9223372036854775807\r\n$2\r\n-7\r\n"
                                + "$20\r\n-9223372036854775808\r\n");
        assertThat(call.words()).hasSize(9).endsWith(bytes("-7"), bytes("-9223372036854775808"));
    }

    @Test
    void call_thatIsLargerThanTheOnesBefore_isWrittenWhole_andLeavesNothingInTheNext() throws IOException {
        CallBytes call = new CallBytes();
        String word = "x".repeat(99);
        for (int words : new int[] {1, 12, 2_000, 1}) {
            call.begin();
            for (int i = 0; i < words; i++) {
                call.add(word);
            }
            assertThat(sent(call)).isEqualTo("*" + words + "\r\n" + ("$99\r\n" + word + "\r\n").repeat(words));
            assertThat(call.words()).hasSize(words);
        }
    }

    @Test
    void call_thatIsComplete_isIncompleteWhenItIsBegunAgain() {
        CallBytes call = new CallBytes().begin().add("a").complete();
        assertThat(call.isComplete()).isTrue();
        assertThat(call.begin().add("b").isComplete()).isFalse();
        assertThat(call.words()).hasSize(1).contains(bytes("b"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String sent(CallBytes call) throws IOException {
        ByteArrayOutputStream node = new ByteArrayOutputStream();
        call.writeTo(node);
        return node.toString(StandardCharsets.ISO_8859_1);
    }
}
