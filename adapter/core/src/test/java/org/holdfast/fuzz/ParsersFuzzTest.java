// SPDX-License-Identifier: Apache-2.0
package org.holdfast.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import org.holdfast.protocol.node.HolderInfo;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.cluster.ClusterFuzz;
import org.holdfast.redis.health.InspectionFuzz;
import org.holdfast.redis.script.DecoderFuzz;
import org.holdfast.redis.voter.WitnessFuzz;
import org.holdfast.redis.wire.ReplyFuzz;
import org.junit.jupiter.api.Tag;

/** Whatever a node, a Sentinel or a setting says: it is understood, or refused with an exception that is expected. */
@Tag("thorough") // its agent changes each class that it meets, which takes most of a minute
class ParsersFuzzTest {

    /** @param input what is parsed, after a character that says as what */
    @FuzzTest(maxDuration = "30m")
    void input_isUnderstoodOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(input, 1, input.length);
        String text = new String(rest, StandardCharsets.UTF_8);
        switch (input[0]) {
            case 'r' -> reply(ReplyFuzz.read(rest));
            case 'i' -> InspectionFuzz.inspect(rest);
            case 'c' -> ClusterFuzz.view(text);
            case 's' -> ClusterFuzz.record(text);
            case 'k' -> ClusterFuzz.slot(text);
            case 'a' -> VoterAddresses.parse(text, "nodes", new ArrayList<>());
            case 'h' -> HolderInfo.of(text);
            default -> reply(ReplyFuzz.read(input));
        }
    }

    /** All that is made of a reply. */
    private static void reply(Object raw) {
        DecoderFuzz.decode(raw);
        InspectionFuzz.inspect(raw);
        WitnessFuzz.hear(raw);
        if (raw instanceof byte[] bytes) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            ClusterFuzz.view(text);
            ClusterFuzz.record(text);
        }
    }
}
