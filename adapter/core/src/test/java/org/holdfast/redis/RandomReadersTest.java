// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.node.AnyToken;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.Owner;
import org.holdfast.protocol.node.Reply;
import org.holdfast.protocol.node.Target;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers and writers of a real node in random stories: its clock goes ahead and back between two looks of its clients,
 * and keys are deleted, as active expiry does. {@link GrantedLeases} says what the node may grant then.
 */
@Timeout(300)
class RandomReadersTest extends NodeWithClock {

    private static final int STORIES = Integer.getInteger("holdfast.stories", 1_500);
    private static final long SEED = Long.getLong("holdfast.seed", 1);
    private static final Owner PROBE = new Owner("d".repeat(40));
    private static final Owner LAST = new Owner("e".repeat(40));
    private static final int MOST_CLAIMS = 4;
    private static final long FENCE_MILLIS = 600_000;

    /** Less than a lock's key lingers: a client sees that a clock was ahead by more. */
    private static final long[] ERRORS = {0, 0, 0, 40_000, 40_000, 55_000, -80_000};

    private static final long[] PASSING = {5, 2_000, 12_000, 29_000};
    private static final long[] TTLS = {10_000, 30_000, 60_000};

    /** A client counts nothing that a clock grants which was set back a moment ago. */
    private static final long SETTLED_MILLIS = 4_000;

    private final List<String> story = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private GrantedLeases leases = new GrantedLeases();
    private Random random = new Random();

    /** By how much this story is later than the machine's clock, and by how much the node's clock is wrong. */
    private long passedMillis;

    private long errorMillis;

    private long lastToken;
    private boolean keysWereLost;
    private boolean clockWasWrong;

    @Test
    void readersAndWriters_whateverHappensToClockAndKeys_keepEachOtherOut() throws Exception {
        for (long seed = SEED; seed < SEED + STORIES; seed++) {
            try {
                tell(seed);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + String.join("\n", story), e);
            }
        }
    }

    private void tell(long seed) throws Exception {
        story.clear();
        claims.clear();
        leases = new GrantedLeases();
        random = new Random(seed);
        lastToken = 10;
        keysWereLost = false;
        clockWasWrong = false;
        node.command("DEL test:{x}:lock test:{x}:fence test:{x}:readers");
        setClock(0);
        look(true);
        acquireAnew(true);
        for (int step = random.nextInt(4, 14); step > 0; step--) {
            happen();
            for (String key : List.of("lock", "fence", "readers")) {
                assertThat(lastsFor("test:{x}:" + key)).as("TTL of " + key).isNotEqualTo(-1);
            }
        }
        assertWriterComesAfterAll();
    }

    private void happen() throws Exception {
        switch (random.nextInt(16)) {
            case 0 -> pass(pick(PASSING));
            case 1, 2, 3, 4 -> errClock();
            case 5, 6 -> loseKey();
            case 7, 8, 9 -> acquireAnew(random.nextInt(4) > 0);
            case 10, 11 -> renewOne();
            case 12, 13 -> endOne();
            case 14 -> askLate();
            default -> probe();
        }
    }

    private void pass(long millis) throws Exception {
        passedMillis += millis;
        setClock(errorMillis);
        look(errorMillis == 0);
        story.add(millis + " ms pass");
    }

    private void errClock() throws Exception {
        long former = errorMillis;
        setClock(pick(ERRORS));
        clockWasWrong |= errorMillis != 0;
        story.add("the clock is wrong by " + errorMillis);
        if (errorMillis < former) {
            leases.clockWasSetBack(nowMillis());
        }
        if (errorMillis == 0) {
            pass(SETTLED_MILLIS);
            probe();
        }
    }

    private void loseKey() throws Exception {
        String key = random.nextInt(3) > 0 ? "readers" : "lock";
        node.command("DEL test:{x}:" + key);
        keysWereLost = true;
        story.add("lost " + key);
    }

    private void acquireAnew(boolean reads) {
        if (claims.size() == MOST_CLAIMS) {
            return;
        }
        Owner owner = new Owner(Integer.toString(claims.size()).repeat(40));
        lastToken += random.nextInt(1, 4);
        Claim claim = claimOf(reads ? READING : ALONE, owner, lastToken);
        claims.add(claim);
        if (!send(acquire(claim), claim)) {
            boolean isAnswerLost = random.nextBoolean();
            said("undo", claim, ask(isAnswerLost ? AnyToken.undoLost(claim) : undo(claim)));
            if (isAnswerLost) {
                leases.ended(claim.owner());
            }
        }
    }

    /** A lease that is in force, or one that is released and whose renewal comes late. */
    private void renewOne() {
        Claim former = one();
        if (former == null || !leases.wasGranted(former.owner())) {
            return;
        }
        boolean inForce = leases.isInForce(former.owner(), nowMillis());
        boolean released = leases.isEnded(former.owner()) && !keysWereLost;
        if (!inForce && !released) {
            return;
        }
        boolean downgrades = former.target() == ALONE && random.nextInt(3) == 0;
        Claim claim = claimOf(downgrades ? READING : former.target(), former.owner(), former.token());
        if (inForce && random.nextInt(4) == 0) {
            long asked = nowMillis();
            Reply reply = askShortening(claim, asked);
            said("shorten", claim, reply);
            if (reply.equals(GRANTED)) {
                leases.shortened(claim, asked, nowMillis(), errorMillis >= 0);
                claims.set(claims.indexOf(former), claim);
            }
        } else if (send(renew(claim), claim)) {
            claims.set(claims.indexOf(former), claim);
        }
    }

    private void endOne() {
        Claim claim = one();
        if (claim != null && leases.wasGranted(claim.owner())) {
            said("end", claim, ask(end(claim)));
            leases.ended(claim.owner());
        }
    }

    private void askLate() {
        Claim claim = one();
        if (claim != null && leases.isEnded(claim.owner()) && !keysWereLost) {
            send(acquire(claim), claim);
        }
    }

    /** A writer that goes at once, and whose client has found the clock right. */
    private void probe() {
        if (errorMillis == 0) {
            lastToken += 2;
            Claim claim = new Claim(ALONE, PROBE, lastToken, 1_000, FENCE_MILLIS);
            if (send(acquire(claim), claim)) {
                ask(end(claim));
            }
            leases.forget(claim.owner());
        }
    }

    /** Returns whether it is granted; fails if it must not be. */
    private boolean send(Command command, Claim claim) {
        boolean vouches =
                errorMillis == 0 && random.nextBoolean() || claim.owner().equals(PROBE);
        long asked = nowMillis();
        Reply reply = vouches ? askVouching(command) : ask(command);
        said(command.getClass().getSimpleName() + (vouches ? ", vouching," : ""), claim, reply);
        boolean granted = reply.equals(GRANTED);
        if (granted) {
            leases.granted(claim, asked, nowMillis(), errorMillis >= 0);
        }
        return granted;
    }

    /** All are released: a writer waits for no longer than what was lost may last. */
    private void assertWriterComesAfterAll() throws Exception {
        setClock(0);
        pass(SETTLED_MILLIS);
        for (Claim claim : claims) {
            if (leases.wasGranted(claim.owner())) {
                said("end", claim, ask(end(claim)));
            }
        }
        Claim writer = new Claim(ALONE, LAST, lastToken + 5, 1_000, FENCE_MILLIS);
        Reply reply = askVouching(acquire(writer));
        for (int quarantine = 0; quarantine < 2 && (keysWereLost || clockWasWrong); quarantine++) {
            if (!reply.equals(GRANTED)) {
                pass(LINGER_MILLIS + SETTLED_MILLIS);
                reply = askVouching(acquire(writer));
            }
        }
        assertThat(reply).as("a writer after all have gone").isEqualTo(GRANTED);
    }

    private Claim claimOf(Target target, Owner owner, long token) {
        return new Claim(target, owner, token, pick(TTLS), FENCE_MILLIS);
    }

    private void said(String what, Claim claim, Reply reply) {
        story.add(what + " " + claim.target().getClass().getSimpleName() + " "
                + claim.owner().value().charAt(0) + " token " + claim.token() + " for " + claim.ttlMillis() + " ms: "
                + reply);
    }

    private @Nullable Claim one() {
        return claims.isEmpty() ? null : claims.get(random.nextInt(claims.size()));
    }

    private long pick(long... values) {
        return values[random.nextInt(values.length)];
    }

    private long nowMillis() {
        return System.currentTimeMillis() + passedMillis;
    }

    private void setClock(long wrongByMillis) {
        errorMillis = wrongByMillis;
        clock.set(Duration.ofMillis(passedMillis + errorMillis));
    }

    /** Writes what a client writes that looks now, if one does, and leaves a quarantine out. */
    private void look(boolean isDone) {
        if (isDone) {
            eval(new ScriptCall(
                    "local t = redis.call('TIME') local now = '1 ' .. t[1] .. string.sub('00000' .. t[2], -6)\n"
                            + "redis.call('SET', KEYS[1], now, 'PX', ARGV[1])\n"
                            + "redis.call('SET', KEYS[2], (string.gsub(redis.call('GET', KEYS[2]), '^%S+ %S+', now)))",
                    List.of("test:heartbeat", "test:birth"), List.of(Long.toString(LINGER_MILLIS - 500))));
        }
    }
}
