// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.VirtualTime;
import org.junit.jupiter.api.Test;

class TimersTest {

    private final VirtualTime time = new VirtualTime();
    private final List<Long> wakeUps = new ArrayList<>();
    private final List<String> ran = new ArrayList<>();
    private final Timers timers = new Timers(time, wakeUps::add);

    @Test
    void alarm_isReportedWhenItIsSetAndInEachSweepBefore() {
        timers.in(100, () -> ran.add("late"));
        timers.in(30, () -> ran.add("early"));
        assertThat(wakeUps).containsExactly(100L, 30L);
        time.pass(30);
        timers.sweep();
        assertThat(ran).containsExactly("early");
        assertThat(wakeUps).endsWith(70L).hasSize(3);
        time.pass(70);
        timers.sweep();
        assertThat(ran).containsExactly("early", "late");
        assertThat(wakeUps).hasSize(3);
    }

    @Test
    void alarm_thatIsSetByAnother_isReported() {
        timers.in(10, () -> timers.in(5, () -> ran.add("second")));
        time.pass(10);
        timers.sweep();
        assertThat(wakeUps).contains(5L);
        time.pass(5);
        timers.sweep();
        assertThat(ran).containsExactly("second");
    }

    @Test
    void alarm_thatWasCancelled_isNotReportedBySweeps() {
        Timers.Alarm alarm = timers.in(10, () -> ran.add("never"));
        wakeUps.clear();
        timers.cancel(alarm);
        timers.sweep();
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void alarm_thatIsDueSoon_isReportedAsPrompt_alsoBySweeps() {
        List<Long> prompt = new ArrayList<>();
        Timers told = new Timers(time, new WakeUp() {
            @Override
            public void within(long nanos) {
                wakeUps.add(nanos);
            }

            @Override
            public void promptlyWithin(long nanos) {
                prompt.add(nanos);
            }
        });
        told.in(20_000_000, () -> ran.add("ordinary"));
        Timers.Alarm cancelled = told.in(4_000_000, () -> ran.add("never"));
        told.in(5_000_000, () -> ran.add("prompt"));
        assertThat(wakeUps).containsExactly(20_000_000L);
        assertThat(prompt).containsExactly(4_000_000L, 5_000_000L);
        told.cancel(cancelled);
        time.pass(4_000_000);
        told.sweep();
        assertThat(prompt).endsWith(1_000_000L);
        time.pass(1_000_000);
        told.sweep();
        assertThat(ran).containsExactly("prompt");
        assertThat(told.size()).isOne();
    }
}
