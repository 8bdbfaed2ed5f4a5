// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.holdfast.redis.OneLock.ADA;
import static org.holdfast.redis.OneLock.BOB;
import static org.holdfast.redis.OneLock.FENCE;
import static org.holdfast.redis.OneLock.SLACK;
import static org.holdfast.redis.OneLock.TTL;

import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the scripts leave on one real node of an attempt that is undone. */
@Timeout(60)
class UndoneAttemptsTest {

    @RegisterExtension
    private static final OneNode NODE = new OneNode();

    private final OneLock lock = new OneLock(NODE);

    @Test
    void undoneAttempt_staysRefusedAndKeepsNobodyFromHealing() throws Exception {
        lock.acquire(ADA, 7);
        NODE.command("DEL test:{x}:lock");
        lock.acquire(BOB, 20);
        lock.acquire(BOB, 20); // asked again, since the reply was lost
        assertThat(lock.release(BOB, 20, false)).isEqualTo(new Reply.Released(0));
        assertThat(lock.fence()).isEqualTo("20 7");
        assertThat(lock.millis("PTTL test:{x}:fence")).isGreaterThan(FENCE - SLACK);
        assertThat(lock.acquire(BOB, 20)).as("sent twice below us").isEqualTo(new Reply.TokenTooSmall(20));
        assertThat(lock.renew(ADA, 6)).as("of an earlier lease").isEqualTo(new Reply.TokenTooSmall(7));
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
        lock.release(ADA, 7, true);
        assertThat(lock.fence()).isEqualTo("20 8");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
        assertThat(lock.acquire(ADA, 21)).isEqualTo(new Reply.Granted());
        assertThat(lock.fence()).isEqualTo("21");
    }

    @Test
    void lostAttempt_staysRefusedAndKeepsNobodyFromHealing() throws Exception {
        Claim lost = new Claim(new Target.Exclusive("x"), BOB, 20, TTL, FENCE);
        NODE.ask(AnyToken.undoLost(lost));
        assertThat(lock.fence()).isEqualTo("21 0");
        assertThat(lock.acquire(BOB, 20)).isEqualTo(new Reply.TokenTooSmall(21));
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
        assertThat(lock.fence()).isEqualTo("21 7");
        lock.acquire(ADA, 7);
        NODE.ask(AnyToken.undoLost(lost));
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.Granted());
    }

    @Test
    void undoneAttempt_keepsTheTombstoneOfALeaseThatCameMeanwhile() throws Exception {
        lock.acquire(BOB, 20);
        lock.release(ADA, 7, true);
        lock.release(BOB, 20, false);
        assertThat(lock.fence()).isEqualTo("20 8");
        assertThat(lock.renew(ADA, 7)).isEqualTo(new Reply.TokenTooSmall(8));
    }

    @Test
    void undoneAttempt_ofALeaseThatWasRenewed_keepsItsToken() throws Exception {
        lock.acquire(BOB, 20);
        lock.renew(BOB, 20);
        lock.release(BOB, 20, false);
        assertThat(lock.fence()).isEqualTo("20");
    }

    @Test
    void undoneReaders_keepNobodyFromHealingWhenTheLastOneIsUndone() throws Exception {
        assertThat(lock.read(ADA, 20)).isEqualTo(new Reply.Granted());
        assertThat(lock.read(BOB, 22)).isEqualTo(new Reply.Granted());
        lock.releaseReader(BOB, 22, false);
        assertThat(lock.fence()).isEqualTo("22");
        lock.releaseReader(ADA, 20, false);
        assertThat(lock.fence()).isEqualTo("22 0");
        assertThat(NODE.command("EXISTS test:{x}:lock test:{x}:readers")).isEqualTo(":0\r\n");

        Command renewReader = new Command.Renew(new Claim(new Target.Shared("x"), ADA, 7, TTL, FENCE));
        assertThat(NODE.ask(renewReader).reply()).as("heals").isEqualTo(new Reply.Granted());
        assertThat(lock.read(BOB, 22)).isEqualTo(new Reply.TokenTooSmall(22));
        assertThat(NODE.ask(new Command.Renew(new Claim(new Target.Shared("x"), BOB, 6, TTL, FENCE)))
                        .reply())
                .as("heals too, among readers")
                .isEqualTo(new Reply.Granted());
    }

    @Test
    void undoneReader_keepsTheTokensOfThoseThatHaveRead() throws Exception {
        lock.read(ADA, 20);
        lock.read(BOB, 22);
        lock.releaseReader(ADA, 20, true);
        lock.releaseReader(BOB, 22, false);
        assertThat(lock.fence()).isEqualTo("22 21");

        lock.read(ADA, 30);
        NODE.ask(new Command.Renew(new Claim(new Target.Shared("x"), ADA, 30, TTL, FENCE)));
        lock.releaseReader(ADA, 30, false);
        assertThat(lock.fence()).isEqualTo("30");

        lock.read(ADA, 40);
        lock.release(BOB, 32, true); // of a lease to have it alone
        lock.releaseReader(ADA, 40, false);
        assertThat(lock.fence()).isEqualTo("40 33");
    }

    @Test
    void undoneReader_keepsTheTombstoneThatItHasLeftBefore() {
        lock.read(BOB, 22);
        lock.read(ADA, 20);
        lock.releaseReader(ADA, 20, true);
        assertThat(NODE.ask(AnyToken.release(new Claim(new Target.Shared("x"), ADA, 20, TTL, FENCE), false))
                        .reply())
                .isEqualTo(new Reply.Gone());
        assertThat(lock.read(ADA, 20)).as("the acquisition that comes late").isEqualTo(new Reply.TokenTooSmall(22));
    }

    @Test
    void undoneReader_keepsTheTokenOfOneWhoseLeaseHasEndedMeanwhile() throws Exception {
        lock.read(ADA, 20);
        lock.read(BOB, 22);
        NODE.command("ZADD test:{x}:readers XX 1 \"" + ADA.value() + "\""); // as time passes
        lock.releaseReader(BOB, 22, false);
        assertThat(lock.fence()).isEqualTo("22");
    }
}
