// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is printed of nodes and locks. */
class TextsTest {

    private static Sight sight(Map<String, String> facts) {
        return new Sight(new TreeMap<>(facts));
    }

    @Test
    void changes_ofWhatIsNewGoneOrOther_areLinesInOrder() {
        Sight before = sight(Map.of("node b", "votes", "lock 'x'", "held by a", "node c", "votes"));
        Sight now = sight(Map.of("node b", "is in quarantine", "lock 'y'", "held by b", "node c", "votes"));
        assertThat(now.changesSince(before))
                .containsExactly("lock 'x' free", "lock 'y' held by b", "node b is in quarantine");
        assertThat(now.changesSince(now)).isEmpty();
        assertThat(now.changesSince(Sight.NONE)).hasSize(3);
    }

    @Test
    void table_withNamesThatMoveCursors_hasOneLineARow() {
        StringWriter text = new StringWriter();
        Table table = new Table("A", "B");
        table.row("x\n\u001b[2Jy\u2028\u202e", "é");
        table.row("", "z");
        table.print(new PrintWriter(text));
        assertThat(text.toString().lines()).containsExactly("A          B", "x??[2Jy??  é", "           z");
    }

    @Test
    void cell_withANameThatCouldBeSeveral_isInQuotesThatEndWithIt() {
        assertThat(Table.cell("order-42")).isEqualTo("order-42");
        assertThat(Table.cell("é?@$")).isEqualTo("é?@$");
        assertThat(Table.cell("a  free")).isEqualTo("'a  free'");
        assertThat(Table.cell("a\u3000free")).isEqualTo("'a\u3000free'");
        assertThat(Table.cell("a'  'b")).isEqualTo("'a\\'  \\'b'");
        assertThat(Table.cell("a\\")).isEqualTo("'a\\\\'");
    }
}
