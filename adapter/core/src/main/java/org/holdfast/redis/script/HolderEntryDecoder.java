// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.HolderEntry;
import org.holdfast.protocol.node.Reply;
import org.jspecify.annotations.Nullable;

/** Decodes what scripts report of the holders of locks, and rejects what no script of ours would report. */
final class HolderEntryDecoder {

    /** What scripts count with is exact up to here: no token of ours is larger. */
    static final long LARGEST_TOKEN = 1L << 53;

    private HolderEntryDecoder() {}

    /** Returns the holders; null unless every part of the report has the form that our scripts give it. */
    static @Nullable Reply reply(long lastToken, Object raw) {
        if (lastToken < 0
                || lastToken > LARGEST_TOKEN
                || !(raw instanceof List<?> told)
                || told.size() > HolderEntry.MOST) {
            return null;
        }
        List<HolderEntry> holderEntries = new ArrayList<>(told.size());
        for (Object each : told) {
            HolderEntry holderEntry = each instanceof List<?> words ? holderEntry(words) : null;
            if (holderEntry == null) {
                return null;
            }
            holderEntries.add(holderEntry);
        }
        return new Reply.Seen(lastToken, holderEntries);
    }

    private static @Nullable HolderEntry holderEntry(List<?> words) {
        if (words.size() == 4
                && words.get(0) instanceof Long lock
                && words.get(1) instanceof Long reads
                && words.get(2) instanceof byte[] value
                && words.get(3) instanceof Long left
                && lock >= 0
                && lock < LockRequest.MAX_PERMITS
                && value.length <= HolderEntry.MOST_OF_VALUE
                && left >= 0) {
            String text = new String(value, StandardCharsets.ISO_8859_1); // one character for each byte
            return new HolderEntry(lock.intValue(), reads == 1, text, left);
        }
        return null;
    }
}
