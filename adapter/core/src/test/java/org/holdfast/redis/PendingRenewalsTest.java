// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

class PendingRenewalsTest {

    private static final Command.Renew RENEWAL = renewal(new Target.Exclusive("a"), false);

    private static Command.Renew renewal(Target target, boolean last) {
        return new Command.Renew(new Claim(target, new Owner("a".repeat(40)), 1, 1_000, 60_000), last);
    }

    private static PendingRenewals three() {
        return new PendingRenewals(Collections.nCopies(3, new PendingRequest(RENEWAL, null, 0)), false);
    }

    @Test
    void renewals_ofOneNameEach_areCountedUpToTheFirstOtherCommand() {
        List<Command> commands = new ArrayList<>(Collections.nCopies(3, RENEWAL));
        assertThat(PendingRenewals.count(commands, 0)).isEqualTo(3);
        assertThat(PendingRenewals.count(commands, 2)).isEqualTo(1);
        for (Command other : List.of(
                renewal(new Target.Exclusive("a"), true),
                renewal(new Target.Exclusive("a").reading(), false),
                new Command.Inspect(List.of()))) {
            commands.add(2, other);
            assertThat(PendingRenewals.count(commands, 0)).as("" + other).isEqualTo(2);
            assertThat(PendingRenewals.count(commands, 2)).as("" + other).isZero();
            commands.remove(2);
        }
    }

    @Test
    void renewals_thatWouldKeepANodeForLong_areNotCountedTogether() {
        assertThat(PendingRenewals.count(Collections.nCopies(1_000, RENEWAL), 0))
                .isEqualTo(100);
    }

    @Test
    void reply_toEach_isGivenInOrder() {
        List<Object> replies = List.of(List.of(1L, 0L, 5L), new JedisDataException("ERR"), List.of(2L, 9L, 5L));
        assertThat(three().replyTo(0, replies)).isEqualTo(replies.get(0));
        assertThat(three().replyTo(1, replies)).as("an error").isNull();
        assertThat(three().replyTo(2, replies)).isEqualTo(replies.get(2));
    }

    /** Each is sent alone then. */
    @Test
    void reply_thatIsNoneToSoMany_isNoneToAny() {
        for (Object reply : List.of(
                new JedisDataException("ERR"),
                List.of(1L, 0L, 5L),
                List.of(),
                1L,
                Collections.nCopies(2, List.of(1L, 0L, 5L)),
                Collections.nCopies(4, List.of(1L, 0L, 5L)))) {
            for (int request = 0; request < 3; request++) {
                assertThat(three().replyTo(request, reply)).as("" + reply).isNull();
            }
        }
    }
}
