// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In a cluster every script publishes as the node says to those that listen there. */
class PublishingScriptsTest {

    private static final String DECISION = "local publish = redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH'";

    private static String source(LockScript script) {
        return new String(script.source(), StandardCharsets.UTF_8);
    }

    static Stream<LockScript> publishing() {
        return Stream.of(LockScript.values())
                .map(LockScript::inShard)
                .flatMap(script -> Stream.of(script, script.behindProxy()))
                .filter(script -> script.name().contains("IN_SHARD"))
                .filter(script -> source(script).contains("redis.pcall(publish,"))
                .distinct();
    }

    @Test
    void scripts_thatPublish_haveVariantsForShards() {
        assertThat(Stream.of(LockScript.values())
                        .filter(script -> source(script).contains("redis.pcall(publish,"))
                        .filter(script -> !script.isShort() && !script.name().contains("BEHIND_PROXY"))
                        .map(LockScript::inShard))
                .allMatch(script -> script.name().contains("IN_SHARD"));
    }

    @ParameterizedTest
    @MethodSource("publishing")
    void script_thatPublishesInAShard_doesSoAsTheNodeSays(LockScript script) {
        assertThat(source(script))
                .containsOnlyOnce("local publish")
                .contains(DECISION)
                .doesNotContain("redis.call('PUBLISH'", "redis.call(publish");
        assertThat(source(LockScript.HOW_PUBLISHED)).contains(DECISION);
    }
}
