// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.holdfast.LockMode;
import org.holdfast.protocol.lease.Holder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HolderInfoTest {

    private static final byte[] ID = new byte[20];
    private static final Owner OWNER = new Owner(ID);

    private static HolderInfo holderInfo(ProcessInfo where, String thread) {
        return new HolderInfo(where, thread, LockMode.WRITE, 1_800_000_000_000_123L, 1_800_000_000_000L);
    }

    private static HolderInfo written(HolderInfo holderInfo) {
        return HolderInfo.of(holderInfo.owner(ID).value());
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void badge_thatWasWritten_isReadAsItWas(LockMode mode) {
        HolderInfo holderInfo = new HolderInfo(new ProcessInfo("host-1.example", 4_711), "EJB default - 3", mode, 7, 8);
        assertThat(written(holderInfo)).isEqualTo(holderInfo);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n", "ü", "a\u0000b", "\ud800"})
    void badge_withAnyName_isWrittenInPrintableAscii(String name) {
        HolderInfo read = written(holderInfo(new ProcessInfo(name, 1), name));
        assertThat(read.where().host()).matches("[!-~]+");
        assertThat(read.thread()).matches("[ -~]+");
    }

    @Test
    void badge_withTheLongestOfEverything_fits() {
        HolderInfo longest = new HolderInfo(
                new ProcessInfo("h".repeat(300), Long.MAX_VALUE / 10),
                "t".repeat(300),
                LockMode.READ,
                Long.MAX_VALUE / 10,
                Long.MAX_VALUE / 10);
        assertThat(Owner.descriptionIn(longest.owner(ID).value())).hasSize(Owner.MOST_OF_DESCRIPTION);
        assertThat(written(longest).thread()).matches("t{10,}");
        assertThat(written(longest).where().host()).isEqualTo("h".repeat(40));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1 2 E 3 host",
                "1 2 X 3 host thread",
                "1 2 EE 3 host thread",
                "1 2  3 host thread",
                "1 2 E 3  thread",
                "+1 2 E 3 host thread",
                "1 2 E 3 host thr\tead",
                "1 2 E 3 host thr\u00e9ad",
                "1234567890123456789 2 E 3 host thread",
                " 1 2 E 3 host thread"
            })
    void value_thatNoBadgeWrites_isUnknown(String description) {
        assertThat(HolderInfo.of(OWNER.value() + ' ' + description)).isEqualTo(HolderInfo.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 39, 41, 162})
    void owner_ofAnotherLength_isRefused(int length) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Owner("a".repeat(length)));
    }

    @Test
    void owner_withOtherThanHexadecimalDigitsOrPrintableText_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Owner("g".repeat(40)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Owner(OWNER.value() + " "));
        assertThatIllegalArgumentException().isThrownBy(() -> new Owner(OWNER.value() + " a\nb"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Owner(OWNER.value() + " " + "x".repeat(121)));
    }

    @Test
    void holder_inATransaction_isDescribedByThat() {
        assertThat(Holder.transaction("tx-17").describe()).isEqualTo("transaction tx-17");
        assertThat(Holder.thread().describe()).isEqualTo(Thread.currentThread().getName());
    }
}
