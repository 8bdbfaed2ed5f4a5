// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts.Appointment;
import org.holdfast.protocol.guard.NodeFacts.Namer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectionDecoderTest {

    private static byte[] client(String address) {
        return ("id=3 addr=" + address + " laddr=127.0.0.1:6379 fd=7 name=holdfast age=0")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A process that is named once more, without having been a replica meanwhile, shows it by that alone. */
    @Test
    void promotion_ofAVoterThatMoves_hasTheEpochInWhichItIsNamed() {
        Map<String, String> info =
                Map.of("redis_version", "7.0.0", "run_id", "r", "role", "master", "master_replid2", "0".repeat(40));
        assertThat(promotion(info, Optional.of(new Appointment(1, 7, 0, Namer.SENTINELS))))
                .isEqualTo("-@7");
        assertThat(promotion(info, Optional.empty())).isEqualTo("-");
    }

    private static String promotion(Map<String, String> info, Optional<Appointment> appointment) {
        return InspectionDecoder.facts(info, 1, Optional.empty(), appointment)
                .process()
                .promotion();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:40000, :40000, true",
        "[::1]:40000, :40000, true",
        "10.0.0.1:40001, :40000, false",
        "10.0.0.1:40000, :0, false",
        "/run/a.sock:0, /run/a.sock:0, true",
        "/run/b.sock:0, /run/a.sock:0, false",
        "/other/run/a.sock:0, /run/a.sock:0, false",
        "10.0.0.1:40000, /run/a.sock:0, false",
        "10.0.0.1:40000, '', false"
    })
    void sees_isWhatTheClientKnowsOfItself(String address, String ownEnd, boolean expected) {
        assertThat(InspectionDecoder.sees(client(address), ownEnd)).isEqualTo(expected);
    }

    @Test
    void sees_anAnswerOfAnOlderRedis_isNothing() {
        assertThat(InspectionDecoder.sees("ERR unknown subcommand".getBytes(StandardCharsets.UTF_8), ":40000"))
                .isFalse();
        assertThat(InspectionDecoder.sees(7L, ":40000")).isFalse();
    }
}
