// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClockShimTest {

    @TempDir
    Path directory;

    @Test
    void clockOfNode_set_movesWhileItRunsAndComesBack() throws Exception {
        ClockShim clock = ClockShim.in(directory).orElse(null);
        assumeTrue(clock != null, ClockShim.NEEDS);
        try (RedisServer node = RedisServer.startWithClock(directory, clock)) {
            assertThat(secondsAhead(node)).isCloseTo(0, within(5L));

            clock.set(Duration.ofDays(1));
            assertThat(secondsAhead(node)).isCloseTo(86_400, within(5L));
            clock.set(Duration.ofDays(-1));
            assertThat(secondsAhead(node)).isCloseTo(-86_400, within(5L));

            clock.setRight();
            assertThat(secondsAhead(node)).isCloseTo(0, within(5L));
        }
    }

    private static long secondsAhead(RedisServer node) throws Exception {
        String[] reply = node.command("TIME").split("\r\n");
        return Long.parseLong(reply[2]) - Instant.now().getEpochSecond();
    }
}
