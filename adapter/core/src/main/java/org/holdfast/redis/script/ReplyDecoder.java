// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.holdfast.DistributedLatch;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Latch;
import org.holdfast.protocol.node.Reply;
import org.jspecify.annotations.Nullable;

/** Translates what scripts return into replies, and rejects what no script of ours returns. */
public final class ReplyDecoder {

    /** The first of the three numbers with which everything begins that a script returns. */
    private static final int GRANTED = 1;

    private static final int HELD = 2;
    private static final int TOKEN_TOO_SMALL = 3;
    private static final int RELEASED = 4;
    private static final int GONE = 5;
    private static final int FORGOTTEN = 6;
    private static final int QUARANTINED = 7;
    private static final int QUEUED = 10;
    private static final int TICKET_TOO_SMALL = 11;
    private static final int NOTED = 12;
    private static final int FREE = 13;
    private static final int SEEN = 14;
    private static final int TOKEN_SKEWED = 15;
    private static final int ENDED = 16;
    private static final int COUNTED = 17;
    private static final int LATCH_RESET = 18;
    private static final int LATCH_DIFFERS = 19;
    private static final int LAST = LATCH_DIFFERS;

    /** So many tickets does a script list, see granted_in_turn.lua. */
    private static final int MOST_BEHIND = 15;

    /** A smaller number is no clock: it may be what another command counts. Nor is it a release if it is negative. */
    private static final long LEAST_CLOCK = 1_000_000_000_000_000L;

    /** As it is most often: to an owner without a ticket. */
    private static final Reply ALONE = new Reply.Granted();

    private ReplyDecoder() {}

    /**
     * Understands what a script returned; whatever is not of the expected form is refused, never taken for a grant.
     *
     * <p>The scripts of the usual cases return one number: the node's clock if the lock was granted, and less than
     * -10<sup>15</sup> by the number of listeners if it was released. All others return a list that begins with three
     * numbers.
     */
    public static Answer answer(int node, Object raw) {
        if (raw instanceof Long number && isClock(number)) {
            return new Answer(node, ALONE, number);
        }
        if (raw instanceof Long number && number <= -LEAST_CLOCK && number >= -HolderEntryDecoder.LARGEST_TOKEN) {
            return new Answer(node, new Reply.Released(-LEAST_CLOCK - number), 0);
        }
        if (raw instanceof List<?> list
                && list.size() >= 3
                && list.get(0) instanceof Long status
                && list.get(1) instanceof Long detail
                && list.get(2) instanceof Long nodeMicros) {
            Reply reply = list.size() == 3 ? reply(status, detail) : null;
            if (status == GRANTED) {
                reply = detail == 0 && isClock(nodeMicros) ? granted(list) : null;
            } else if (status == SEEN && list.size() == 4) {
                reply = HolderEntryDecoder.reply(detail, list.get(3));
            } else if (status == COUNTED && list.size() == 4) {
                reply = counted(detail, list.get(3));
            }
            if (reply != null) {
                return new Answer(node, reply, nodeMicros);
            }
        }
        return new Answer(node, new Reply.Refused("the node returned what no script of ours returns"), 0);
    }

    private static boolean isClock(long number) {
        return number >= LEAST_CLOCK && number <= HolderEntryDecoder.LARGEST_TOKEN;
    }

    /** Numbers that we continue with must be in the range of the scripts; others only show how long to wait. */
    private static boolean isPossible(int status, long detail) {
        return switch (status) {
            case FREE -> detail >= 0 && detail < LockRequest.MAX_PERMITS;
            case LATCH_DIFFERS -> detail > 0 && detail <= DistributedLatch.MAX_COUNT;
            case TOKEN_TOO_SMALL, TICKET_TOO_SMALL, LATCH_RESET ->
                detail >= 0 && detail <= HolderEntryDecoder.LARGEST_TOKEN;
            default -> true;
        };
    }

    private static @Nullable Reply granted(List<?> reply) {
        return switch (reply.size()) {
            case 3 -> ALONE;
            case 4 -> grantedInTurn(reply.get(3));
            default -> null;
        };
    }

    /** Returns the grant with the numbers of tickets in their order; null if they are none. */
    private static @Nullable Reply grantedInTurn(Object raw) {
        if (!(raw instanceof List<?> list) || list.size() > MOST_BEHIND) {
            return null;
        }
        List<Long> behind = new ArrayList<>(list.size());
        long last = 0;
        for (Object each : list) {
            if (!(each instanceof Long number) || number <= last || number > HolderEntryDecoder.LARGEST_TOKEN) {
                return null;
            }
            behind.add(number);
            last = number;
        }
        return new Reply.Granted(behind);
    }

    /** Returns the ids of so many calls; null if they are not so many, or if one is none that a call may have. */
    private static @Nullable Reply counted(long calls, Object raw) {
        if (!(raw instanceof List<?> list) || list.size() != calls || calls > DistributedLatch.MAX_COUNT) {
            return null;
        }
        Set<String> ids = new HashSet<>();
        for (Object each : list) {
            String id = each instanceof byte[] bytes ? new String(bytes, StandardCharsets.ISO_8859_1) : "";
            if (!Latch.isId(id) || !ids.add(id)) {
                return null;
            }
        }
        return new Reply.Counted(ids);
    }

    private static @Nullable Reply reply(long status, long detail) {
        if (status < 0 || status > LAST || !isPossible((int) status, detail)) {
            return null;
        }
        return switch ((int) status) {
            case HELD -> new Reply.Held(Math.max(0, detail));
            case TOKEN_TOO_SMALL -> new Reply.TokenTooSmall(detail);
            case RELEASED -> new Reply.Released(detail);
            case GONE -> new Reply.Gone();
            case FORGOTTEN -> new Reply.Forgotten();
            case QUARANTINED -> new Reply.Quarantined(Math.max(1, detail));
            case QUEUED -> new Reply.Queued(Math.max(0, detail));
            case TICKET_TOO_SMALL -> new Reply.TicketTooSmall(detail);
            case NOTED -> new Reply.Noted();
            case FREE -> new Reply.Free((int) detail);
            case TOKEN_SKEWED -> new Reply.TokenSkewed(detail);
            case ENDED -> new Reply.Ended(detail);
            case LATCH_RESET -> new Reply.LatchReset(detail);
            case LATCH_DIFFERS -> new Reply.LatchDiffers(detail);
            default -> null;
        };
    }
}
