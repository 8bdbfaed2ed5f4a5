// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {

    private static final String PREFIX = "holdfast";

    @ParameterizedTest
    @ValueSource(strings = {"a", "{a}", "}a", "a}:lock", "}", "{", ":{x}:", "-{-a", "é \n", "permit-1:lock"})
    void key_ofALock_showsItsNameWhateverThatIs(String name) {
        for (String kind : List.of("lock", "queue", "queue-reading")) {
            assertThat(LockKey.parse(PREFIX, ShapeCodec.base(PREFIX, name) + kind))
                    .contains(new LockKey(name, 0));
        }
        assertThat(LockKey.parse(PREFIX, ShapeCodec.base(PREFIX, name) + "permit-11:lock"))
                .contains(new LockKey(name, 12));
    }

    @Test
    void key_ofAnotherKindOrPrefix_showsNone() {
        for (String key : List.of(
                "holdfast:{a}:fence",
                "holdfast:{a}:tickets",
                "holdfast:{a}:latch",
                "holdfast:{a}:permit-1:fence",
                "holdfast:{a}:permit-x:lock",
                "holdfast:{a}:permit-99999:lock",
                "holdfast:{a}:permit-:lock",
                "holdfast:{17}:birth",
                "holdfast:birth",
                "holdfast:heartbeat",
                "holdfast:{a}:",
                "holdfast:{}",
                "holdfast",
                "",
                "others:{a}:lock",
                "holdfast2:{a}:lock")) {
            assertThat(LockKey.parse(PREFIX, key)).as(key).isEqualTo(Optional.empty());
        }
    }

    @Test
    void pattern_ofAPrefixWithSignsOfPatterns_hasThemAsTheyAre() {
        assertThat(LockKey.pattern("a*b?[c]\\d:e")).isEqualTo("a\\*b\\?\\[c\\]\\\\d:e:*{*}:*");
    }
}
