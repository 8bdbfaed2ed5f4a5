// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Has each wait of a test last longer than a machine can be busy with other work, where the test says no time. */
public final class PatientWaits implements LauncherSessionListener {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(LONGEST);
    }
}
