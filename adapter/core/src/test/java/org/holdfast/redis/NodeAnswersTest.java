// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.TTL;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Round;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.ReplyDecoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is made of the answers of one real node: late ones, missing ones, and ones of no known form. */
@Timeout(60)
class NodeAnswersTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private final OneLock lock = new OneLock(NODE);

    @Test
    void answer_ofUnexpectedForm_isRefused() {
        assertThat(ReplyDecoder.answer(0, "OK".getBytes(StandardCharsets.UTF_8)).reply())
                .isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(1L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(1L, "x", 3L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, List.of(99L, 0L, 3L)).reply()).isInstanceOf(Reply.Refused.class);
        assertThat(ReplyDecoder.answer(0, null).reply()).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void answers_ofAbandonedRequests_areNeverTakenForLaterOnes() {
        for (int i = 0; i < 50; i++) {
            List<Answer> late = new ArrayList<>();
            Round abandoned =
                    NODE.send(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 100 + i, TTL, FENCE)));
            abandoned.leave(late::add);
            assertThat(lock.release(ADA, 0, false))
                    .as("the answer to the release")
                    .isIn(new Reply.Released(0));
            assertThat(late).singleElement().extracting(Answer::reply).isEqualTo(new Reply.Granted());
        }
    }

    @Test
    void hungNode_isGivenUpAfterTheNodeTimeoutAndAskedNoMore() {
        lock.acquire(ADA, 7);
        NODE.redis().freeze();
        try {
            Command.Renew renew = new Command.Renew(new Claim(new Target.Exclusive("x"), ADA, 7, TTL, FENCE));
            Round unanswered = NODE.send(renew);
            long deadline = System.nanoTime() + OneNode.NODE_TIMEOUT.toNanos(); // not before: it counts from then
            assertThat(unanswered.next(deadline).reply()).isEqualTo(new Reply.NoAnswer("no answer for 2000 ms"));

            long begun = System.nanoTime();
            assertThat(NODE.ask(renew).reply())
                    .asInstanceOf(type(Reply.NotSent.class))
                    .extracting(Reply.NotSent::reason)
                    .asString()
                    .startsWith("no answer for 2000 ms, suspected for");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(OneNode.NODE_TIMEOUT);
        } finally {
            NODE.redis().thaw();
        }
    }

    @Test
    void deadNode_isAnsweredForAsNotSent() {
        NODE.redis().kill();
        try {
            assertThat(lock.acquire(ADA, 7))
                    .asInstanceOf(type(Reply.NotSent.class))
                    .extracting(Reply.NotSent::reason)
                    .asString()
                    .contains("Connection refused");
        } finally {
            NODE.redis().start();
        }
    }
}
