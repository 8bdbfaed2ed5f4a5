// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.AnyToken;
import org.holdfast.protocol.Claim;
import org.holdfast.protocol.Command;
import org.holdfast.protocol.NodeSet;
import org.holdfast.protocol.Owner;
import org.holdfast.protocol.Reply;
import org.holdfast.protocol.Target;
import org.holdfast.testkit.ClockShim;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The clock of a real node goes ahead and comes back while no client talks to the node. */
@Timeout(60)
class LingeringLockTest {

    private static final Owner ADA = new Owner("a".repeat(40));
    private static final Owner BOB = new Owner("b".repeat(40));
    private static final long TTL = 30_000;
    /** More than the lease, less than the quarantine. */
    private static final Duration JUMP = Duration.ofSeconds(40);

    @TempDir
    Path directory;

    static Stream<Target> targets() {
        return Stream.of(
                new Target.Alone("x"),
                new Target.Alone(List.of("x", "y")),
                new Target.Reading("x"),
                new Target.Permit("x", 0));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void lockInForce_whileTheClockGoesAheadAndComesBack_isNotTakenByAnother(Target target) throws Exception {
        ClockShim clock = ClockShim.in(directory).orElse(null);
        assumeTrue(clock != null, ClockShim.NEEDS);
        try (RedisServer node = RedisServer.startWithClock(directory, clock);
                Channel first = OneNode.open(node, true);
                Channel ada = OneNode.open(node, true);
                Channel bob = OneNode.open(node, true)) {
            first.prepare();
            OneNode.endQuarantine(node); // a client that has found it would believe nothing before its end
            ada.prepare();
            bob.prepare();
            Claim held = claim(target, ADA, 7);
            assertThat(tell(ada, acquire(held))).isEqualTo(new Reply.Granted());

            clock.set(JUMP); // the lease lasts for 30 s
            Thread.sleep(500); // a real process: it deletes what has expired ten times a second
            clock.setRight();

            Target alone = target instanceof Target.Reading ? new Target.Alone("x") : target;
            assertThat(tell(bob, acquire(claim(alone, BOB, 9)))).isInstanceOf(Reply.Held.class);
            assertThat(tell(ada, new Command.Renew(held))).isEqualTo(new Reply.Granted());
            assertThat(tell(ada, AnyToken.release(held, true))).isEqualTo(new Reply.Released(0));
        }
    }

    private static Claim claim(Target target, Owner owner, long token) {
        return new Claim(target, owner, token, TTL, TTL + 60_000);
    }

    private static Command acquire(Claim claim) {
        return claim.target() instanceof Target.Reading
                ? AnyToken.acquireIfNobodyWaits(claim)
                : AnyToken.acquire(claim);
    }

    private static Reply tell(Channel channel, Command command) {
        return OneNode.answerTo(channel.send(command, NodeSet.of(0))).reply();
    }
}
