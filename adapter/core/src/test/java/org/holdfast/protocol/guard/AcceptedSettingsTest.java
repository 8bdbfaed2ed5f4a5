// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.holdfast.protocol.node.SharedSettings;
import org.junit.jupiter.api.Test;

/** Which settings a process that rolls out a change accepts in a mark of the moment. */
class AcceptedSettingsTest {

    private static final SharedSettings OLD = new SharedSettings(10_000, 600_000, 0.01);
    private static final SharedSettings NEW = new SharedSettings(20_000, 600_000, 0.01);
    private static final SharedSettings OTHER = new SharedSettings(30_000, 600_000, 0.01);

    private final AcceptedSettings changing = new AcceptedSettings(NEW, Optional.of(OLD));

    private Optional<AcceptedSettings> resolve(SharedSettings current, SharedSettings previous) {
        return changing.resolve(new AcceptedSettings(current, Optional.ofNullable(previous)), 0, 0);
    }

    @Test
    void change_begins_andTurnsRound() {
        assertThat(resolve(OLD, null)).contains(changing);
        assertThat(resolve(OLD, NEW)).contains(changing);
    }

    @Test
    void settingsThatAreNeitherTheOldOnesNorTheNew_areRefused() {
        assertThat(resolve(OTHER, null)).isEmpty();
        assertThat(resolve(OLD, OTHER)).isEmpty();
        assertThat(resolve(OTHER, NEW)).isEmpty();
        assertThat(resolve(OTHER, OLD)).isEmpty();
    }

    /** The two would keep different limits. */
    @Test
    void changeToTheSameSettings_fromOthers_isRefused_alsoWhenNoProcessIsLeftThatKnowsThoseOnly() {
        AcceptedSettings fromOthers = new AcceptedSettings(NEW, Optional.of(OTHER));
        assertThat(changing.resolve(fromOthers, 0, 0)).isEmpty();
        assertThat(changing.resolve(fromOthers, 0, TimeUnit.HOURS.toMicros(1))).isEmpty();
    }

    @Test
    void settingsOfADeploymentThatStopped_areReplaced_onceItsHeartbeatIsOver() {
        AcceptedSettings marked = new AcceptedSettings(OTHER);
        long heartbeat = TimeUnit.NANOSECONDS.toMicros(OTHER.heartbeat().toNanos());
        assertThat(changing.resolve(marked, heartbeat, heartbeat)).isEmpty();
        assertThat(changing.resolve(marked, heartbeat + 1, heartbeat + 1)).contains(changing);
    }

    @Test
    void text_ofAChange_hasBothSettings() {
        String change = OLD.text() + ">" + NEW.text();
        assertThat(changing.text()).isEqualTo(change);
        assertThat(AcceptedSettings.parse(change)).contains(changing);
        assertThat(AcceptedSettings.parse(">" + NEW.text()))
                .as("it does not tell from which")
                .isEmpty();
        assertThat(AcceptedSettings.parse(OLD.text() + ">")).isEmpty();
        assertThat(AcceptedSettings.parse(">")).isEmpty();
    }

    @Test
    void changeFromTheSameSettings_isNone() {
        assertThat(new AcceptedSettings(NEW, Optional.of(NEW))).isEqualTo(new AcceptedSettings(NEW));
    }
}
