// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

    private record Pair(String name, Object value) {}

    @Test
    void record_withEachKindOfValue_isWrittenWithItsComponents() {
        assertThat(Json.of(new Pair("a", Arrays.asList(1, 2.5, null, true, new Pair("b", List.of())))))
                .isEqualTo("{\"name\":\"a\",\"value\":[1,2.5,null,true,{\"name\":\"b\",\"value\":[]}]}");
        assertThat(Json.of(Map.of("run", new Pair("c", DemoState.Vote.YES))))
                .isEqualTo("{\"run\":{\"name\":\"c\",\"value\":\"YES\"}}");
    }

    @Test
    void token_ofTheYear2255_isWrittenWithAllDigits() {
        assertThat(Json.of(9_007_199_254_740_992L)).isEqualTo("9007199254740992");
    }

    @Test
    void text_thatWouldEndItself_isEscaped() {
        assertThat(Json.of("a\"b\\c\nd\u0001\u2028</script>"))
                .isEqualTo("\"a\\\"b\\\\c\\u000ad\\u0001\\u2028</script>\"");
    }
}
