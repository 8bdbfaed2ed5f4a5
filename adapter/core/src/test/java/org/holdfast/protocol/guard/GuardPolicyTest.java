// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.holdfast.GuardMode;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

class GuardPolicyTest {

    private static final AcceptedSettings SETTINGS = new AcceptedSettings(new SharedSettings(10_000, 600_000, 0.01));

    @Test
    void quarantine_isEnforced_andLetsKeysStayAfterTheirLeases() {
        GuardPolicy policy = new GuardPolicy(GuardMode.QUARANTINE, SETTINGS);
        assertThat(policy.enforced()).isTrue();
        assertThat(policy.lingerMicros())
                .isEqualTo(SETTINGS.widest().linger().toNanos() / 1_000)
                .isPositive();
    }

    @Test
    void guardThatIsOff_enforcesNothing() {
        GuardPolicy policy = new GuardPolicy(GuardMode.OFF, SETTINGS);
        assertThat(policy.enforced()).isFalse();
        assertThat(policy.lingerMicros()).isZero();
    }
}
