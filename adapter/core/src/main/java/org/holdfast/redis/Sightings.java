// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockRequest;
import org.holdfast.protocol.Reply;
import org.holdfast.protocol.Sighting;

/** Understands what scripts tell of who has locks, and believes nothing that they would not say. */
final class Sightings {

    /** What scripts count with is exact up to here: no token of ours is larger. */
    static final long LARGEST_TOKEN = 1L << 53;

    private Sightings() {}

    /** Returns who was seen; null unless every word of it is as our scripts say it. */
    static Reply reply(long lastToken, Object raw) {
        if (lastToken < 0
                || lastToken > LARGEST_TOKEN
                || !(raw instanceof List<?> told)
                || told.size() > Sighting.MOST) {
            return null;
        }
        List<Sighting> sightings = new ArrayList<>(told.size());
        for (Object each : told) {
            Sighting sighting = each instanceof List<?> words ? sighting(words) : null;
            if (sighting == null) {
                return null;
            }
            sightings.add(sighting);
        }
        return new Reply.Seen(lastToken, sightings);
    }

    private static Sighting sighting(List<?> words) {
        if (words.size() == 4
                && words.get(0) instanceof Long lock
                && words.get(1) instanceof Long reads
                && words.get(2) instanceof byte[] value
                && words.get(3) instanceof Long left
                && lock >= 0
                && lock < LockRequest.MAX_PERMITS
                && value.length <= Sighting.MOST_OF_VALUE
                && left >= 0) {
            String text = new String(value, StandardCharsets.ISO_8859_1); // one character for each byte
            return new Sighting(lock.intValue(), reads == 1, text, left);
        }
        return null;
    }
}
