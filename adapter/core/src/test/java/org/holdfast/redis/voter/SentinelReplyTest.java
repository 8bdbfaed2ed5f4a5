// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.holdfast.protocol.term.Witnesses;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

class SentinelReplyTest {

    private static final String OWN = id('5');
    private static final String FORMER = id('a');
    private static final String NEXT = id('b');

    /** Redis accepts any text of this length for one. */
    private static final String FELLOW = id('F');

    private static String id(char digit) {
        return Character.toString(digit).repeat(40);
    }

    private static List<Object> fields(String... namesAndValues) {
        return Stream.of(namesAndValues)
                .<Object>map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static List<Object> details(String port, String process) {
        return fields(
                "ip", "127.0.0.1", "port", port, "runid", process, "config-epoch", "3", "num-other-sentinels", "2");
    }

    /** @param own its answer to SENTINEL MYID */
    private static Witnesses.Testimony says(String port, List<Object> details, String runId, Object own) {
        return SentinelReply.testimony(
                "locks",
                List.of(
                        fields("127.0.0.1", port),
                        details,
                        ("run_id:" + runId + "\r\n").getBytes(StandardCharsets.UTF_8),
                        List.of(fields("ip", "127.0.0.1", "port", "2", "runid", NEXT)),
                        List.of(fields("runid", FELLOW)),
                        own));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void primary_isTheProcessThatItHasFound_amongItsReplicas() {
        Witnesses.Testimony said = says("1", details("1", FORMER), id('1'), text(OWN));
        assertThat(said.place()).isEqualTo("127.0.0.1:1");
        assertThat(said.epoch()).isEqualTo(3);
        assertThat(said.group()).isEqualTo(3);
        assertThat(said.process()).isEqualTo(FORMER);
        assertThat(said.standbys()).isEqualTo(Map.of("127.0.0.1:2", NEXT));
        assertThat(says("1", details("1", ""), id('1'), text(OWN)).process()).isEmpty();
    }

    @Test
    void primary_whileTheReplicasAreMadeItsOwn_isTheReplicaAtItsPlace_andNotTheFormerOne() {
        assertThat(says("2", details("1", FORMER), id('1'), text(OWN)).process())
                .isEqualTo(NEXT);
        assertThat(says("3", details("1", FORMER), id('1'), text(OWN)).process())
                .isEmpty();
    }

    @Test
    void sentinel_thatIsStartedAgainBetweenTwoAnswers_isOneVoice() {
        String before = says("1", details("1", FORMER), id('1'), text(OWN)).witness();
        assertThat(says("1", details("1", FORMER), id('2'), text(OWN)).witness())
                .isEqualTo(before);
        assertThat(says("1", details("1", FORMER), id('1'), text(id('6'))).witness())
                .isNotEqualTo(before);
    }

    /** Before Redis 6.2 it does not say its own id. */
    @Test
    void sentinel_withoutAnIdOfItsOwn_isKnownByItsProcess() {
        JedisDataException unknown = new JedisDataException("ERR Unknown sentinel subcommand 'MYID'");
        Witnesses.Testimony said = says("1", details("1", FORMER), id('1'), unknown);
        assertThat(said.witness()).isEqualTo(id('1'));
        assertThat(said.fellows()).containsExactly(FELLOW);
    }

    @Test
    void fellows_ofASentinel_areThoseItKnows_andItself() {
        assertThat(says("1", details("1", FORMER), id('1'), text(OWN)).fellows())
                .containsExactlyInAnyOrder(OWN, FELLOW);
    }
}
