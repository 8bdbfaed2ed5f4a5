// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies of the right form, with numbers that none of our scripts returns. */
class ReplyDecoderTest {

    private static Reply reply(long status, long detail) {
        return ReplyDecoder.answer(0, List.of(status, detail, 1_800_000_000_000_000L))
                .reply();
    }

    @ParameterizedTest
    @CsvSource({
        "13, -1", // a permit that there is not is free on every node
        "13, 1000",
        "13, 4294967296", // its last 32 bits are a permit
        "3, -1",
        "3, 9007199254740993", // scripts could not tell it from the next
        "3, 999999999999999999",
        "11, -1",
        "11, 9007199254740993",
        "17, 0", // without ids
        "18, -1",
        "18, 9007199254740993",
        "19, 0",
        "19, 1001"
    })
    void reply_withANumberThatCannotBe_isRefused(long status, long detail) {
        assertThat(reply(status, detail)).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void reply_withANumberThatCanBe_isUnderstood() {
        assertThat(reply(13, 0)).isEqualTo(new Reply.Free(0));
        assertThat(reply(13, 999)).isEqualTo(new Reply.Free(999));
        assertThat(reply(3, 1L << 53)).isEqualTo(new Reply.TokenTooSmall(1L << 53));
        assertThat(reply(11, 0)).isEqualTo(new Reply.TicketTooSmall(0));
        assertThat(reply(18, 1L << 53)).isEqualTo(new Reply.LatchReset(1L << 53));
        assertThat(reply(19, 1000)).isEqualTo(new Reply.LatchDiffers(1000));
    }

    @Test
    void number_thatIsAClock_isAGrantAtThatMoment() {
        assertThat(ReplyDecoder.answer(3, 1_800_000_000_000_000L))
                .isEqualTo(new Answer(3, new Reply.Granted(), 1_800_000_000_000_000L));
    }

    @Test
    void number_farBelowZero_isARelease() {
        assertThat(ReplyDecoder.answer(3, -1_000_000_000_000_000L)).isEqualTo(new Answer(3, new Reply.Released(0), 0));
        assertThat(ReplyDecoder.answer(3, -1_000_000_000_000_003L)).isEqualTo(new Answer(3, new Reply.Released(3), 0));
    }

    /** Another command counts something: where answers were mixed up, that is no grant. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, -1, -2, 999_999_999_999_999L, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void number_thatIsNeither_isRefused(long number) {
        assertThat(ReplyDecoder.answer(3, number).reply()).isInstanceOf(Reply.Refused.class);
    }

    /** A list of small numbers is what many a command returns. */
    @ParameterizedTest
    @CsvSource({
        "1, 1800000000000000",
        "77, 1800000000000000",
        "0, 180",
        "0, 999999999999999",
        "0, -1800000000000000",
        "0, 9007199254740993"
    })
    void grant_withADetailOrWithoutAClock_isRefused(long detail, long clock) {
        assertThat(ReplyDecoder.answer(0, List.of(1L, detail, clock)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(1L, detail, clock, List.of())).reply())
                .isInstanceOf(Reply.Refused.class);
    }

    private static Reply granted(List<?> behind) {
        return ReplyDecoder.answer(0, List.of(1L, 0L, 1_800_000_000_000_000L, behind))
                .reply();
    }

    @Test
    void grant_withTicketsBehind_isUnderstoodIfTheyAreInOrderAndCanBe() {
        assertThat(reply(1, 0)).isEqualTo(new Reply.Granted());
        assertThat(granted(List.of())).isEqualTo(new Reply.Granted());
        assertThat(granted(List.of(5L, 1L << 53))).isEqualTo(new Reply.Granted(List.of(5L, 1L << 53)));
        for (List<?> other : List.of(
                List.of(0L),
                List.of(5L, 5L),
                List.of(5L, 4L),
                List.of(5L, (1L << 53) + 1),
                List.of("5"),
                Collections.nCopies(1, List.of(5L)),
                LongStream.rangeClosed(1, 16).boxed().toList())) {
            assertThat(granted(other)).as("%s", other).isInstanceOf(Reply.Refused.class);
        }
    }

    private static Reply counted(List<?> ids) {
        return counted(ids.size(), ids);
    }

    private static Reply counted(long calls, List<?> ids) {
        return ReplyDecoder.answer(0, List.of(17L, calls, 1_800_000_000_000_000L, ids))
                .reply();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void calls_thatCannotBe_areRefused() {
        assertThat(counted(List.of(bytes("a"), bytes("b")))).isEqualTo(new Reply.Counted(Set.of("a", "b")));
        assertThat(counted(List.of(1L))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(List.of(bytes("")))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(List.of(bytes("ä")))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(List.of(bytes("a".repeat(65))))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(IntStream.rangeClosed(0, 1000)
                        .mapToObj(i -> bytes("a" + i))
                        .toList()))
                .isInstanceOf(Reply.Refused.class);
    }

    @Test
    void calls_thatAreNotAsManyAsTheirNumber_areRefused() {
        assertThat(counted(0, List.of())).isEqualTo(new Reply.Counted(Set.of()));
        assertThat(counted(1, List.of(bytes("a"), bytes("b")))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(3, List.of(bytes("a"), bytes("b")))).isInstanceOf(Reply.Refused.class);
        assertThat(counted(-1, List.of())).isInstanceOf(Reply.Refused.class);
        assertThat(counted(2, List.of(bytes("a"), bytes("a"))))
                .as("the same call twice")
                .isInstanceOf(Reply.Refused.class);
    }
}
