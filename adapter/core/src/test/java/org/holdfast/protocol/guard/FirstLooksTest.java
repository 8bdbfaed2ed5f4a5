// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.holdfast.protocol.VirtualTime;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

/** A process that has just started comes to a node that no process has marked. */
class FirstLooksTest {

    private static final SharedSettings SETTINGS = new SharedSettings(10_000, 60_000, 0.01);

    private final VirtualTime time = new VirtualTime();

    /** @param moves whether it is one of many, such as those of a cluster */
    private NodeGuard.Admission admit(NodeGuard guard, boolean moves) {
        Optional<NodeFacts.Appointment> appointment =
                moves ? Optional.of(new NodeFacts.Appointment(1, 0, 0, NodeFacts.Namer.CLUSTER)) : Optional.empty();
        NodeProbe unmarked = new NodeProbe() {
            private String mark = "";

            @Override
            public Sight look() {
                NodeFacts facts = new NodeFacts(
                        new BirthMark.Process("run", 0, "-", "-"),
                        true,
                        false,
                        false,
                        Optional.empty(),
                        time.epochMicros(),
                        appointment);
                return new Sight(facts, mark, !mark.isEmpty());
            }

            @Override
            public Optional<Long> write(MarkChange change) {
                long now = time.epochMicros();
                mark = now + " " + now + " " + now + " " + change.rest();
                return Optional.of(now);
            }
        };
        return guard.admit(unmarked);
    }

    private NodeGuard guard(AcceptedSettings.OfOthers others) {
        return new NodeGuard(0, new AcceptedSettings(SETTINGS), others, false, new ClockMonitor(1, SETTINGS), time);
    }

    @Test
    void nodeThatIsOneOfMany_isMarkedWhenTheOthersWereLookedAt() {
        NodeGuard guard = guard(new AcceptedSettings.OfOthers());
        assertThat(admit(guard, true)).isInstanceOfSatisfying(NodeGuard.Admission.Refused.class, refused -> assertThat(
                        refused.settlingNanos())
                .isEqualTo(Duration.ofSeconds(2).toNanos()));
        time.pass(Duration.ofSeconds(2).toNanos());
        assertThat(admit(guard, true)).isInstanceOf(NodeGuard.Admission.Admitted.class);
    }

    @Test
    void nodeAtAFixedAddress_isMarkedAtOnce() {
        assertThat(admit(guard(new AcceptedSettings.OfOthers()), false))
                .isInstanceOf(NodeGuard.Admission.Admitted.class);
    }
}
