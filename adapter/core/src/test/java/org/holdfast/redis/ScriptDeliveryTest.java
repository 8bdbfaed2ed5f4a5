// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.BOB;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.TTL;

import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.holdfast.redis.script.LockScript;
import org.holdfast.redis.script.ScriptBridge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the scripts get to one real node: by their SHA, or with their source where it does not know them. */
@Timeout(60)
class ScriptDeliveryTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private final OneLock lock = new OneLock(NODE);

    @Test
    void scripts_areKnownByTheShaThatTheNodeComputes() throws Exception {
        lock.acquire(ADA, 7);
        lock.renew(ADA, 7);
        lock.release(ADA, 7, true);
        String sha = ScriptBridge.sha(LockScript.RENEW);
        assertThat(NODE.command("SCRIPT EXISTS " + sha)).isEqualTo("*1\r\n:1\r\n");
    }

    @Test
    void script_thatTheNodeIsNotKnownToKnow_isSentWithItsSourceAtOnceAndThenByItsSha() throws Exception {
        NODE.command("SCRIPT FLUSH");
        NODE.command("CONFIG RESETSTAT");
        lock.acquire(ADA, 7);
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .doesNotContain("cmdstat_evalsha");
        lock.acquire(ADA, 7);
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .contains("cmdstat_evalsha:calls=1,");
    }

    @Test
    void scripts_forgottenByTheNode_areSentWithTheirSourceOnceAgain() throws Exception {
        lock.acquire(ADA, 7);
        lock.renew(ADA, 7);
        NODE.command("SCRIPT FLUSH");
        lock.renew(ADA, 7);
        NODE.command("CONFIG RESETSTAT");
        lock.acquire(ADA, 7); // that script it has forgotten as well
        assertThat(NODE.command("INFO commandstats"))
                .contains("cmdstat_eval:calls=1,")
                .doesNotContain("cmdstat_evalsha");
    }

    @Test
    void script_forgottenByTheNode_isSentAgain() throws Exception {
        lock.acquire(ADA, 7);
        NODE.command("SCRIPT FLUSH");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void acquisition_thatWasGivenUpAndMetNoScript_isNotSentAgain() throws Exception {
        lock.acquire(ADA, 7);
        lock.release(ADA, 7, true);
        NODE.command("SCRIPT FLUSH");
        NODE.send(AnyToken.acquire(new Claim(new Target.Exclusive("x"), ADA, 9, TTL, FENCE)))
                .leave(late -> {});
        assertThat(lock.acquire(BOB, 11)).isInstanceOf(Reply.Granted.class); // met no script either, after the other
    }
}
