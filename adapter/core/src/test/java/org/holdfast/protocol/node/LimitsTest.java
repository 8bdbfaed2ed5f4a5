// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.holdfast.DistributedLatch;
import org.holdfast.InvalidLockRequestException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is allowed at the bounds of each value, and what is refused beyond them. */
class LimitsTest {

    private static void assertRefused(long generation, int count) {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(() -> new Latch("a", generation, count));
    }

    @Test
    void latch_atItsBounds_isAllowed() {
        new Latch("a", 0, 1);
        new Latch("a", DistributedLatch.MAX_GENERATION, DistributedLatch.MAX_COUNT);
        assertRefused(-1, 1);
        assertRefused(DistributedLatch.MAX_GENERATION + 1, 1);
        assertRefused(0, 0);
        assertRefused(0, DistributedLatch.MAX_COUNT + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "order-17:Z_9.x", "0123456789012345678901234567890123456789012345678901234567890123"})
    void idOfACall_inItsForm_isAllowed(String id) {
        assertThat(Latch.checkedId(id)).isEqualTo(id);
        assertThat(Latch.isId(id)).isTrue();
    }

    /** Nodes keep ids one after another, with a space between them. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "a b", "\u00e9", "a\n", "01234567890123456789012345678901234567890123456789012345678901234"})
    void idOfACall_inAnotherForm_isRefused(String id) {
        assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> Latch.checkedId(id));
        assertThat(Latch.isId(id)).isFalse();
    }

    @Test
    void holder_asANodeReportsIt_atItsBounds_isAllowed() {
        new HolderEntry(0, false, "x".repeat(HolderEntry.MOST_OF_VALUE), 0);
        assertThatIllegalArgumentException().isThrownBy(() -> new HolderEntry(-1, false, "", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new HolderEntry(0, false, "", -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HolderEntry(0, false, "x".repeat(HolderEntry.MOST_OF_VALUE + 1), 0));
    }

    @Test
    void process_withoutANumber_isAllowed() {
        assertThat(new ProcessInfo("host", 0).pid()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> new ProcessInfo("host", -1));
    }

    @Test
    void settings_atTheirBounds_areAllowed() {
        for (SharedSettings allowed : new SharedSettings[] {new SharedSettings(1, 1, 0), new SharedSettings(1, 1, 1)}) {
            assertThat(SharedSettings.parse(allowed.text())).contains(allowed);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new SharedSettings(0, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new SharedSettings(1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new SharedSettings(1, 1, 1.01));
        assertThatIllegalArgumentException().isThrownBy(() -> new SharedSettings(1, 1, Double.NaN));
    }

    @Test
    void text_ofEveryPrintableCharacterOfAscii_isShownAsItIs() {
        StringBuilder all = new StringBuilder();
        for (char c = ' '; c <= '~'; c++) {
            all.append(c);
        }
        assertThat(LogText.isAscii(all.toString())).isTrue();
        assertThat(LogText.ascii(all.toString(), all.length())).isEqualTo(all.toString());
        assertThat(LogText.ascii(all.toString(), 3)).isEqualTo(" !\"");
        assertThat(LogText.isAscii("\u007f")).isFalse();
        assertThat(LogText.isAscii("\u001f")).isFalse();
    }
}
